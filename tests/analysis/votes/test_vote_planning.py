from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from convergebench.analysis.votes.vote import PairVote
from convergebench.analysis.votes.vote_planning import vote_plans

VOTE = PairVote("r", "return", "a", "b", "first", "case", "picture", "hats", 0, 1, seconds=6.0)


def pilot(wins: int, losses: int) -> list[PairVote]:
    """Every vote of another picture, by one rater: independent."""
    won = [replace(VOTE, picture=f"p{n}") for n in range(wins)]
    return won + [replace(VOTE, picture=f"q{n}", winner="second") for n in range(losses)]


def test_independent_votes_need_the_textbook_number() -> None:
    (plan,) = vote_plans(pilot(65, 35))
    # (1.96 + 0.84)² · 0.65 · 0.35 / 0.15², with 100/99 for the pilot's variance
    assert plan.needed == pytest.approx(7.849 * 0.65 * 0.35 / 0.15**2, rel=0.03)
    assert plan.share.mean == 0.65 and plan.hours == pytest.approx((plan.needed or 0) * 6 / 3600)


def test_votes_that_depend_on_each_other_need_more() -> None:
    together = [replace(vote, picture=f"p{n // 10}") for n, vote in enumerate(pilot(65, 35))]
    (plan,), (independent,) = vote_plans(together), vote_plans(pilot(65, 35))
    assert plan.needed is not None and independent.needed is not None
    assert plan.needed > 5 * independent.needed


def test_votes_without_a_time_say_nothing_of_how_long_one_takes() -> None:
    timed = pilot(65, 35)
    untimed = [replace(vote, seconds=None) for vote in timed]
    (plan,), (none,) = vote_plans([*timed[::2], *untimed[1::2]]), vote_plans(untimed)
    assert plan.seconds_per_vote == 6.0
    assert none.needed == plan.needed and (none.seconds_per_vote, none.hours) == (None, None)


def test_a_closer_pair_needs_more_and_equal_shares_have_no_number() -> None:
    (close,), (far,) = vote_plans(pilot(55, 45)), vote_plans(pilot(80, 20))
    assert (close.needed or 0) > 10 * (far.needed or 0)
    assert vote_plans(pilot(50, 50))[0].needed is None
    assert far.is_decided and not close.is_decided


def test_the_planned_number_tells_the_models_apart_in_four_studies_of_five() -> None:
    random = np.random.default_rng(0)
    decided = []
    for _ in range(300):
        wins = int(random.binomial(84, 0.65))  # what the textbook asks for
        decided.append(vote_plans(pilot(wins, 84 - wins))[0].is_decided)
    assert 0.7 < np.mean(decided) < 0.9
