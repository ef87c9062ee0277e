"""Two ways of running the same sessions, compared turn by turn on the sessions that both have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from convergebench.analysis.sessions.figures import TurnFigure
from convergebench.analysis.sessions.turns import Reading, SessionResult
from convergebench.analysis.statistics.clustered_mean import Interval, clustered_mean, scale_of_differences


@dataclass(frozen=True)
class TurnDifference:
    """First minus second at one turn, over the shared sessions, clustered by source picture."""

    turn: int
    first_mean: float
    second_mean: float
    difference: Interval
    only_first: int
    """Sessions with a value of the first alone."""
    only_second: int


@dataclass(frozen=True)
class TurnComparison:
    figure: TurnFigure
    first: str
    second: str
    points: tuple[TurnDifference, ...]

    def verdict(self, point: TurnDifference) -> str:
        """Which of the two is better at a turn, by the interval."""
        low, high = point.difference.low, point.difference.high
        if low is None or high is None or low <= 0 <= high:
            return "cannot be told apart"
        first_is_better = (low > 0) == (self.figure.better == "higher")
        return f"{self.first if first_is_better else self.second} is better"


def compare_sessions(
    figure: TurnFigure,
    first: tuple[str, Sequence[SessionResult], Reading],
    second: tuple[str, Sequence[SessionResult], Reading],
) -> TurnComparison | None:
    """Pairs sessions of one case and seed; None if no turn has a value of both."""
    (first_name, ours, our_reading), (second_name, theirs, their_reading) = first, second
    others = {session.key: session for session in theirs}
    pairs = [(one, others[one.key]) for one in ours if one.key in others]
    turns = max((min(len(a.turns), len(b.turns)) for a, b in pairs), default=0)
    points = []
    for turn in range(1, turns + 1):
        long = [(a, b) for a, b in pairs if min(len(a.turns), len(b.turns)) >= turn]
        values = [(a.picture, our_reading(a, turn), their_reading(b, turn)) for a, b in long]
        both = [
            (picture, x, y) for picture, x, y in values if not isinstance(x, str) and not isinstance(y, str)
        ]
        if not both:
            continue
        pictures, x, y = zip(*both, strict=True)
        left, right = np.array(x, np.float64), np.array(y, np.float64)
        points.append(
            TurnDifference(
                turn, float(left.mean()), float(right.mean()),
                clustered_mean(left - right, pictures, possible=scale_of_differences(figure.possible)),
                sum(not isinstance(x, str) and isinstance(y, str) for _, x, y in values),
                sum(isinstance(x, str) and not isinstance(y, str) for _, x, y in values),
            )
        )  # fmt: skip
    return TurnComparison(figure, first_name, second_name, tuple(points)) if points else None
