"""A crowd whose preferences and errors are known."""

from __future__ import annotations

import numpy as np

from convergebench.analysis.judged.bradley_terry import Winner
from convergebench.analysis.votes.metric_agreement import PredictedVote
from convergebench.analysis.votes.vote import PairVote

STRENGTHS = {"a": -0.6, "b": -0.1, "c": 0.2, "d": 0.5}
TIE_WEIGHT = 0.5
_WINNERS: tuple[Winner, ...] = ("first", "second", "tie")


def crowd(
    random: np.random.Generator, raters: int = 10, pictures: int = 12, each: int = 40
) -> list[PairVote]:
    """Votes by Davidson's model of ties."""
    count = raters * each
    first = random.integers(4, size=count)
    second = (first + random.integers(1, 4, size=count)) % 4
    values = np.array(list(STRENGTHS.values()))
    win = np.exp((values[first] - values[second]) / 2)
    shares = np.stack([win, 1 / win, np.full(count, TIE_WEIGHT)]).cumsum(0)
    chosen = (random.random(count) * shares[2] > shares).sum(0)
    places, rounds = random.integers(pictures, size=count), random.integers(1, 4, size=count)
    names = list(STRENGTHS)
    votes = []
    for n in range(count):
        models, picture = (names[first[n]], names[second[n]]), f"p{places[n]}"
        place = (picture, picture, "hats", 0, int(rounds[n]))
        votes.append(PairVote(f"r{n // each}", "return", *models, _WINNERS[chosen[n]], *place, 4.0))
    return votes


def predicted(votes: list[PairVote], random: np.random.Generator, error: float) -> list[PredictedVote]:
    """With a metric that knows the strengths, but errs with this probability in each pair of pictures."""
    found = []
    for vote in votes:
        truth = np.sign(STRENGTHS[vote.first] - STRENGTHS[vote.second])
        wrong = random.random() < error
        found.append(PredictedVote(vote, {"metric": float(-truth if wrong else truth)}))
    return found
