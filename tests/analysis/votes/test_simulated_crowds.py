"""A thousand simulated studies: intervals hold the truth about as often as they say."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.votes.crowd import STRENGTHS, crowd
from convergebench.analysis.judged.bradley_terry import Comparison, bradley_terry
from convergebench.analysis.votes.metric_agreement import PredictedVote, agreement_of
from convergebench.analysis.votes.staircase import first_visible_round, next_round
from convergebench.analysis.votes.visibility import (
    MeasuredThresholds,
    VisibilityTrial,
    measured_thresholds,
    visible_rounds,
)
from convergebench.analysis.votes.vote import PairVote, VisibilityVote

LEAST, MOST = 0.92, 0.995


def logistic(value: float) -> float:
    return float(1 / (1 + np.exp(-value)))


_effects = np.random.default_rng(0).normal(0, 0.4 * np.sqrt(2), 100_000)
TRUE_ACCURACY = float(np.mean(1 / (1 + np.exp(-(0.8 + _effects)))))
"""Over all pictures and raters that there could be."""


def test_bradley_terry_holds_the_true_strengths() -> None:
    held = []
    for seed in range(150):
        votes = crowd(np.random.default_rng(seed), each=25)
        found = bradley_terry(
            Comparison(vote.first, vote.second, vote.winner, vote.picture, vote.rater) for vote in votes
        )
        mean = np.mean(list(STRENGTHS.values()))
        held += [one.low <= STRENGTHS[one.model] - mean <= one.high for one in found.models]
    assert LEAST < np.mean(held) < MOST


def test_accuracy_holds_the_truth_though_pictures_and_raters_differ() -> None:
    held = []
    for seed in range(350):
        random = np.random.default_rng(1000 + seed)
        of_picture, of_rater = random.normal(0, 0.4, 12), random.normal(0, 0.4, 10)
        votes = []
        for n in range(250):
            picture, rater = int(random.integers(12)), n // 25
            right = random.random() < logistic(0.8 + of_picture[picture] + of_rater[rater])
            vote = PairVote(f"r{rater}", "return", "a", "b", "first" if right else "second", "c",
                            f"p{picture}", "hats", 0, 1)  # fmt: skip
            votes.append(PredictedVote(vote, {"metric": 1.0}))
        found = agreement_of("metric", votes).accuracy
        assert found is not None and found.low is not None and found.high is not None
        held.append(found.low <= TRUE_ACCURACY <= found.high)
    assert LEAST < np.mean(held) < MOST


def test_thresholds_hold_those_of_the_crowd() -> None:
    held = []
    for seed in range(50):
        random = np.random.default_rng(2000 + seed)
        found = measured_thresholds(seen_by_crowd(random, undone=0.55, kept=0.78))
        assert isinstance(found, MeasuredThresholds)
        for interval, truth in ((found.undone, 0.55), (found.kept, 0.78)):
            assert interval.low is not None and interval.high is not None
            held.append(interval.low <= truth <= interval.high)
    assert LEAST < np.mean(held) <= 1.0


def seen_by_crowd(random: np.random.Generator, undone: float, kept: float) -> list[VisibilityTrial]:
    trials = []
    for rater in range(8):
        for _ in range(40):
            picture, undid = int(random.integers(20)), random.uniform(0.1, 1)
            rest = random.uniform(0.4, 1) if picture % 4 else None  # every fourth is an edit of everything
            same = 1 / (1 + np.exp(-(undid - undone) / 0.08))
            same *= 1.0 if rest is None else 1 / (1 + np.exp(-(rest - kept) / 0.05))
            seen = random.random() < 0.05 + 0.9 * (1 - same)
            trials.append(VisibilityTrial(bool(seen), undid, rest, f"p{picture}", f"r{rater}"))
    return trials


def test_staircases_hold_the_mean_first_visible_round() -> None:
    held = []
    for seed in range(200):
        random = np.random.default_rng(3000 + seed)
        thresholds = random.integers(2, 10, size=24)
        votes = [vote for chain, first in enumerate(thresholds) for vote in staircase(random, chain, first)]
        (found,) = visible_rounds(votes)
        assert found.round.low is not None and found.round.high is not None
        held.append(found.round.low <= 5.5 <= found.round.high)  # the mean of those that are drawn
    assert LEAST < np.mean(held) <= 1.0


def staircase(random: np.random.Generator, chain: int, first: int, rounds: int = 10) -> list[VisibilityVote]:
    """One rater on one chain, who errs in one answer of twenty."""
    answers: list[tuple[int, bool]] = []
    while (at := next_round(answers, rounds)) is not None:
        answers.append((at, bool((at >= first) != (random.random() < 0.05))))
    return [
        VisibilityVote(f"r{chain % 6}", "m", f"c{chain}", f"p{chain}", "hats", 0, at, rounds, seen)
        for at, seen in answers
    ]


@pytest.mark.parametrize("first", range(1, 12))
def test_a_rater_without_errors_is_found_exactly_by_few_questions(first: int) -> None:
    answers: list[tuple[int, bool]] = []
    while (at := next_round(answers, 10)) is not None:
        answers.append((at, at >= first))
    found = first_visible_round(answers, 10)
    assert found is not None and abs(found.round - first) < 0.35
    assert found.questions <= 8


def test_too_few_answers_give_no_thresholds_and_say_so() -> None:
    trials = seen_by_crowd(np.random.default_rng(0), 0.5, 0.8)
    assert "too few" in str(measured_thresholds(trials[:90]))
    assert "too few" in str(measured_thresholds([one for one in trials if one.picture in ("p1", "p2")]))


def test_answers_that_depend_on_nothing_give_no_thresholds() -> None:
    random = np.random.default_rng(0)
    trials = [
        VisibilityTrial(True, random.uniform(0, 1), random.uniform(0, 1), f"p{n % 20}", f"r{n % 5}")
        for n in range(200)
    ]
    assert isinstance(measured_thresholds(trials), str)
