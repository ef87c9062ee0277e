"""The round at which a rater begins to see a difference in one chain, by few questions.

Probabilistic bisection: every possible first visible round has a probability. Each answer multiplies those
that it supports, and the next question is asked at the round that divides the probability in half. A person
who errs now and then still arrives. `votes/assets/staircase.js` has the same rule for pages without a server.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

RELIABILITY = 0.9
"""The assumed share of answers on the right side of the threshold."""
SURE = 0.9
MOST_QUESTIONS = 12


@dataclass(frozen=True)
class FirstVisibleRound:
    """The estimate from one rater's answers on one chain."""

    round: float
    """The mean of the distribution; one more than the rounds of the chain stands for never."""
    probability: float
    """Of the likeliest round."""
    questions: int


def next_round(answers: Sequence[tuple[int, bool]], rounds: int) -> int | None:
    """The round to ask about next; None if the staircase has ended. Answers are rounds with "seen" or not.

    >>> next_round([], 8), next_round([(4, True)], 8), next_round([(4, False)], 8)
    (4, 2, 6)
    """
    chances = distribution(answers, rounds)
    if len(answers) >= MOST_QUESTIONS or chances.max() >= SURE:
        return None
    visible = np.cumsum(chances)[:rounds]
    # Rounded, so that of equal rounds the first is taken whatever the order of additions.
    return 1 + int(np.argmin(np.round(np.abs(visible - 0.5), 9)))


def distribution(answers: Sequence[tuple[int, bool]], rounds: int) -> NDArray[np.float64]:
    """The probability of each first visible round from 1 to `rounds`, and of never."""
    first = np.arange(1, rounds + 2)
    chances = np.ones(rounds + 1)
    for asked, seen in answers:
        chances *= np.where((first <= asked) == seen, RELIABILITY, 1 - RELIABILITY)
        chances /= chances.sum()
    normalised: NDArray[np.float64] = chances / chances.sum()
    return normalised


def first_visible_round(answers: Sequence[tuple[int, bool]], rounds: int) -> FirstVisibleRound | None:
    """None without an answer."""
    if not answers:
        return None
    chances = distribution(answers, rounds)
    mean = float(chances @ np.arange(1, rounds + 2))
    return FirstVisibleRound(mean, float(chances.max()), len(answers))
