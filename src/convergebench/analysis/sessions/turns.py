"""Sessions as analysis takes them, and their figures by turn."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from convergebench.analysis.round_trip.results import Role
from convergebench.analysis.statistics.clustered_mean import UNBOUNDED, Interval, clustered_mean
from convergebench.types import Measurement

NO_PICTURE = "no picture: "
NOT_REACHED = "the session ended before this turn"
UNUSABLE_ENTRY = "not usable: "
"""Before the reason why an entry of the set is no session."""


@dataclass(frozen=True)
class TurnResult:
    """One turn: its measurements, or the reason why it has no picture."""

    turn: int
    values: Mapping[str, Measurement] = field(default_factory=dict)
    """Against the source, outside all edits so far, and against the target; by metric name."""
    missing: str | None = None


@dataclass(frozen=True)
class SessionResult:
    """One session by one model."""

    model: str
    role: Role
    protocol: str
    case: str
    picture: str
    """The source's id: sessions on one picture are not independent of each other."""
    category: str
    seed: int
    trajectory: int
    turns: tuple[TurnResult, ...]
    """Every turn that was planned, with or without a picture."""

    @property
    def key(self) -> tuple[str, int]:
        return self.case, self.seed


@dataclass(frozen=True)
class TurnPoint:
    """A figure at one turn, over the sessions that have it."""

    turn: int
    score: Interval | None
    """None if no session has the figure."""
    missing: int
    """Sessions of at least this many turns without it."""
    reasons: Mapping[str, int]
    """Why, with counts, the most frequent first."""

    @property
    def n(self) -> int:
        return self.score.n if self.score else 0


Reading = Callable[[SessionResult, int], float | str]
"""A session's figure at a turn, or the reason why it has none."""


def measured(metric: str) -> Reading:
    """A metric's value at a turn."""

    def reading(session: SessionResult, turn: int) -> float | str:
        result = session.turns[turn - 1]
        if result.missing is not None:
            return result.missing
        found = result.values.get(metric)
        if found is None:
            return "not measured"
        if found.value is None:
            return found.missing or "not measured"
        return found.value if math.isfinite(found.value) else "infinite: the pictures are the same"

    return reading


def turn_curve(
    sessions: Sequence[SessionResult], reading: Reading, possible: tuple[float, float] = UNBOUNDED
) -> list[TurnPoint]:
    """The mean of a figure at every turn, with intervals clustered by source picture, inside what is
    possible.

    A session shorter than a turn is no part of that turn.
    """
    longest = max((len(session.turns) for session in sessions), default=0)
    return [_point(turn, _long_enough(sessions, turn), reading, possible) for turn in range(1, longest + 1)]


def _long_enough(sessions: Iterable[SessionResult], turn: int) -> list[SessionResult]:
    return [session for session in sessions if len(session.turns) >= turn]


def _point(
    turn: int, sessions: Sequence[SessionResult], reading: Reading, possible: tuple[float, float]
) -> TurnPoint:
    found = [(session.picture, reading(session, turn)) for session in sessions]
    there = [(picture, value) for picture, value in found if not isinstance(value, str)]
    reasons = Counter(value for _, value in found if isinstance(value, str))
    return TurnPoint(turn, _mean(found, possible), len(found) - len(there), dict(reasons.most_common()))


def final_mean(
    sessions: Sequence[SessionResult], reading: Reading, possible: tuple[float, float] = UNBOUNDED
) -> Interval | None:
    """The mean over sessions of a figure at each one's own last turn."""
    return _mean([(one.picture, reading(one, len(one.turns))) for one in sessions if one.turns], possible)


def mean_of_turns(
    sessions: Sequence[SessionResult], reading: Reading, possible: tuple[float, float] = UNBOUNDED
) -> Interval | None:
    """The mean of a figure over all turns of all sessions."""
    places = [(one, turn) for one in sessions for turn in range(1, len(one.turns) + 1)]
    return _mean([(one.picture, reading(one, turn)) for one, turn in places], possible)


def _mean(found: Sequence[tuple[str, float | str]], possible: tuple[float, float]) -> Interval | None:
    there = [(picture, value) for picture, value in found if not isinstance(value, str)]
    if not there:
        return None
    pictures, values = zip(*there, strict=True)
    return clustered_mean(np.array(values, np.float64), pictures, possible=possible)


def by_model(sessions: Iterable[SessionResult]) -> dict[str, list[SessionResult]]:
    """In the order of their first sessions."""
    found: dict[str, list[SessionResult]] = {}
    for session in sessions:
        found.setdefault(session.model, []).append(session)
    return found
