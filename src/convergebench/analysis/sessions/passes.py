"""How many sessions pass every turn so far, as the sets define it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from convergebench.analysis.sessions.turns import SessionResult, TurnPoint
from convergebench.analysis.statistics.clustered_mean import Interval, mean_of_grades
from convergebench.analysis.statistics.proportions import percentage

Scores = Mapping[str, float]
ScoresAt = Callable[[SessionResult, int], Scores | str]
"""A judge's scores of a session at a turn, or the reason why there are none."""
Grade = Callable[[Scores], float]
NOT_JUDGED, NOT_ALL_JUDGED = "not judged yet", "not all sessions are judged yet"


@dataclass(frozen=True)
class PassRule:
    """When a turn passes. Scoring stops at the first turn that does not."""

    passes: Callable[[Scores], bool]
    grades: Mapping[str, Grade]
    """Further figures of a turn, by title. A session that has failed adds nothing to their sums."""


MSE_BENCH = PassRule(
    passes=lambda scores: scores["prompt_following"] > 6 and scores["consistency"] > 6,
    grades={
        "prompt following": lambda scores: scores["prompt_following"],
        "consistency": lambda scores: scores["consistency"],
        "overall": lambda scores: math.sqrt(scores["prompt_following"] * scores["consistency"]),
    },
)
EDIVAL = PassRule(passes=lambda scores: scores["followed"] > 0, grades={})


def failed_before(session: SessionResult, turn: int, scores_at: ScoresAt, rule: PassRule) -> bool | str:
    """Whether a turn before this one was judged not to pass; the reason if that cannot be told."""
    for earlier in range(1, turn):
        scores = scores_at(session, earlier)
        if isinstance(scores, str):
            return scores
        if not rule.passes(scores):
            return True
    return False


def survival_curve(sessions: Sequence[SessionResult], scores_at: ScoresAt, rule: PassRule) -> list[TurnPoint]:
    """The percentage of sessions whose turns up to each one all passed, with intervals by source picture.

    A session that failed before counts as failed in all later turns. One whose verdict is missing before it
    fails is missing from there on.
    """

    def answer(session: SessionResult, turn: int) -> bool | str:
        failed = failed_before(session, turn + 1, scores_at, rule)
        return failed if isinstance(failed, str) else not failed

    points = []
    for turn in _turns(sessions):
        found = [(one.picture, answer(one, turn)) for one in sessions if len(one.turns) >= turn]
        there = [(picture, value) for picture, value in found if isinstance(value, bool)]
        reasons = Counter(value for _, value in found if isinstance(value, str))
        score = percentage([value for _, value in there], [picture for picture, _ in there])
        points.append(_point(turn, score, len(found), reasons))
    return points


def grade_curve(
    sessions: Sequence[SessionResult], scores_at: ScoresAt, rule: PassRule, grade: Grade
) -> list[TurnPoint]:
    """A grade's sum over the sessions that reached each turn, divided by all sessions, as MSE-Bench does."""

    def value(session: SessionResult, turn: int) -> float | str:
        failed = failed_before(session, turn, scores_at, rule)
        if isinstance(failed, str):
            return failed
        scores = scores_at(session, turn)
        return 0.0 if failed else scores if isinstance(scores, str) else grade(scores)

    points = []
    for turn in _turns(sessions):
        found = [(one.picture, value(one, turn)) for one in sessions if len(one.turns) >= turn]
        there = [(picture, number) for picture, number in found if not isinstance(number, str)]
        reasons = Counter(reason for _, reason in found if isinstance(reason, str))
        score = None
        if there:
            pictures, numbers = zip(*there, strict=True)
            score = mean_of_grades(np.array(numbers, np.float64), pictures, (0.0, 10.0))
        points.append(_point(turn, score, len(found), reasons))
    return points


def _point(turn: int, score: Interval | None, sessions: int, reasons: Counter[str]) -> TurnPoint:
    """Without a score as long as sessions are still to be judged: of the others, those that failed early are
    known first, and a mean over them would be too low."""
    if NOT_JUDGED in reasons:
        return TurnPoint(turn, None, sessions, {NOT_ALL_JUDGED: sessions})
    return TurnPoint(turn, score, reasons.total(), dict(reasons.most_common()))


def _turns(sessions: Sequence[SessionResult]) -> range:
    return range(1, max((len(session.turns) for session in sessions), default=0) + 1)
