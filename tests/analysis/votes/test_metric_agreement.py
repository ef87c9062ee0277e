from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from analysis.votes.crowd import crowd, predicted
from convergebench.analysis.votes.metric_agreement import (
    PredictedVote,
    agreement_of,
    ceiling,
    trusted_metric,
)
from convergebench.analysis.votes.vote import PairVote

VOTE = PairVote("r", "return", "a", "b", "first", "case", "picture", "hats", 0, 1)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=6, max_size=12))
def test_tau_over_all_pairs_is_kendalls(items: list[tuple[int, int]]) -> None:
    votes = []
    for (mine, liked), (other, less) in combinations(items, 2):
        winner = "tie" if liked == less else "first" if liked > less else "second"
        votes.append(PredictedVote(replace(VOTE, winner=winner), {"m": float(mine - other)}))
    expected = kendalltau([one for one, _ in items], [other for _, other in items]).statistic
    found = agreement_of("m", votes).tau
    if found is None:
        assert np.isnan(expected) or sum(one.vote.winner != "tie" for one in votes) < 10
    else:
        assert found.mean == pytest.approx(expected)


def test_a_metric_that_prefers_neither_has_half() -> None:
    votes = [PredictedVote(replace(VOTE, picture=f"p{n % 4}"), {"m": 0.0}) for n in range(20)]
    found = agreement_of("m", votes)
    assert found.accuracy is not None and found.accuracy.mean == 0.5 and found.tau is None


def test_ties_of_people_are_not_held_against_a_metric() -> None:
    decided = [PredictedVote(VOTE, {"m": 1.0})] * 10
    tied = [PredictedVote(replace(VOTE, winner="tie"), {"m": 1.0})] * 10
    found = agreement_of("m", [*decided, *tied])
    assert found.accuracy is not None and found.tau is not None
    assert found.accuracy.mean == 1.0 and found.tau.mean < 1


def test_a_missing_value_is_counted_and_never_a_disagreement() -> None:
    known = [PredictedVote(VOTE, {"m": 1.0})] * 12
    found = agreement_of("m", [*known, *[PredictedVote(VOTE, {})] * 5])
    assert (found.votes, found.missing) == (12, 5)
    assert found.accuracy is not None and found.accuracy.mean == 1.0


def test_few_votes_give_no_number() -> None:
    assert agreement_of("m", [PredictedVote(VOTE, {"m": 1.0})] * 9).accuracy is None


def test_all_votes_alike_give_an_interval_all_the_same() -> None:
    votes = [
        PredictedVote(replace(VOTE, picture=f"p{n % 10}", rater=f"r{n % 5}"), {"m": 1.0}) for n in range(50)
    ]
    found = agreement_of("m", votes).accuracy
    assert found is not None and found.high == 1.0
    assert found.low == pytest.approx(0.025 ** (1 / 5))  # Clopper and Pearson, five of five


def test_the_ceiling_is_how_often_two_people_decide_alike() -> None:
    votes = [
        replace(VOTE, rater="x"), replace(VOTE, rater="y"), replace(VOTE, rater="z", winner="second"),
        replace(VOTE, rater="x", winner="second"),  # a repeat: not another person
        replace(VOTE, rater="w", first="b", second="a", winner="second"),  # the same in the other order
    ]  # fmt: skip
    found = ceiling(votes).another_person
    assert found is not None and found.mean == pytest.approx(3 / 6)


def test_the_better_metric_is_recommended_and_chance_is_not() -> None:
    random = np.random.default_rng(0)
    votes = crowd(random, each=60)
    good, poor = predicted(votes, random, error=0.02), predicted(votes, random, error=0.5)
    both = [
        PredictedVote(one.vote, {"good": one.margins["metric"], "poor": other.margins["metric"]})
        for one, other in zip(good, poor, strict=True)
    ]
    found = trusted_metric("all", both)
    assert found.best is not None and (found.best.predictor, found.alike) == ("good", ())
    assert trusted_metric("all", both, left_out=["good"]).best is None
