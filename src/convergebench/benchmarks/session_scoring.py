"""How judges score sessions: the question about each turn, and when a turn passes, by set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from convergebench.analysis.sessions.figures import PASSED, TurnCurve, TurnFigure
from convergebench.analysis.sessions.passes import (
    EDIVAL,
    MSE_BENCH,
    PassRule,
    Scores,
    failed_before,
    grade_curve,
    survival_curve,
)
from convergebench.analysis.sessions.turns import Reading, SessionResult, by_model
from convergebench.judges import Rubric, Subject, rubric
from convergebench.judges.asking import key_of, pictures_sent, texts_sent
from convergebench.protocols.base import TURN
from convergebench.results import Records, SuiteId
from convergebench.results.judgements import JudgementRecord, JudgeRecord
from convergebench.results.steps import StepRecord


@dataclass(frozen=True)
class SessionScoring:
    rubric: str
    rule: PassRule
    sees_history: bool
    """Whether the judge sees the results and instructions of all turns so far, or this turn's alone."""


_BY_EDIVAL = SessionScoring("session_instruction", EDIVAL, sees_history=False)
_BY_MSE_BENCH = SessionScoring("session_turn", MSE_BENCH, sees_history=True)
_EDIVAL_SETS = ("edival", "edival-mini", "mice")


def session_scoring(suite: str) -> SessionScoring:
    """EdiVal's for the sets that it defines, MSE-Bench's for all others."""
    return _BY_EDIVAL if SuiteId.parse(suite).name in _EDIVAL_SETS else _BY_MSE_BENCH


def turn_subjects(steps: Sequence[StepRecord], scoring: SessionScoring) -> dict[int, Subject]:
    """What a judge is shown of each turn of one trajectory that has a picture."""
    found = {}
    for place, step in enumerate(steps):
        if step.picture is None:
            continue
        sources, instruction = step.inputs[:1], step.instruction
        if scoring.sees_history and step.role == TURN and place:
            so_far = steps[: place + 1]
            sources = tuple(one.inputs[0] for one in so_far)
            instruction = "\n".join(f"{one.round}. {one.instruction}" for one in so_far)
        pictures = {"source": sources, "result": (step.picture,)}
        found[step.round] = Subject(pictures, {"instruction": instruction})
    return found


def steps_of(records: Records, sessions: Sequence[SessionResult]) -> dict[int, list[StepRecord]]:
    """The steps of these sessions by trajectory, in order."""
    wanted = {session.trajectory for session in sessions}
    found: dict[int, list[StepRecord]] = {}
    for step in records.steps:
        if step.trajectory in wanted:
            found.setdefault(step.trajectory, []).append(step)
    return found


def judged_curves(records: Records, suite: str, sessions: Sequence[SessionResult]) -> list[TurnCurve]:
    """Survival and grades by turn from the verdicts in the workspace, for every judge with some; no judge is
    asked."""
    scoring = session_scoring(suite)
    return [curve for one in _judges(records, suite, sessions) for curve in _curves(sessions, scoring, one)]


def pass_readings(
    records: Records, suite: str, sessions: Sequence[SessionResult]
) -> dict[TurnFigure, Reading]:
    """Whether a session passed every turn so far, 100 or 0, by each judge with verdicts."""
    rule = session_scoring(suite).rule

    def reading_of(verdicts: _Verdicts) -> Reading:
        def reading(session: SessionResult, turn: int) -> float | str:
            failed = failed_before(session, turn + 1, verdicts, rule)
            return failed if isinstance(failed, str) else 0.0 if failed else 100.0

        return reading

    return {_passed_by(one.judge): reading_of(one) for one in _judges(records, suite, sessions)}


def _judges(records: Records, suite: str, sessions: Sequence[SessionResult]) -> list[_Verdicts]:
    scoring = session_scoring(suite)
    asked = rubric(scoring.rubric)
    own = [one for one in records.judgements if one.rubric == asked.fingerprint and one.outcome]
    judges = [judge for judge in records.judges if any(one.judge == judge.fingerprint for one in own)]
    verdicts = {one.key: one for one in own}
    steps = steps_of(records, sessions)
    subjects = {key: turn_subjects(group, scoring) for key, group in steps.items()}
    return [_Verdicts(judge, asked, subjects, verdicts) for judge in judges]


def _passed_by(judge: JudgeRecord) -> TurnFigure:
    return replace(PASSED, title=f"{PASSED.title}, by {judge.name}")


@dataclass(frozen=True)
class _Verdicts:
    """One judge's verdicts on turns."""

    judge: JudgeRecord
    rubric: Rubric
    subjects: dict[int, dict[int, Subject]]
    by_key: dict[str, JudgementRecord]

    def __call__(self, session: SessionResult, turn: int) -> Scores | str:
        result = session.turns[turn - 1]
        if result.missing is not None:
            return result.missing
        subject = self.subjects[session.trajectory][turn]
        pictures, texts = pictures_sent(self.rubric, subject), texts_sent(self.rubric, subject)
        found = self.by_key.get(key_of(self.judge.fingerprint, self.rubric, pictures, texts, 0))
        if found is None:
            return "not judged yet"
        if found.outcome != "ok":
            return f"verdict {str(found.outcome).replace('_', ' ')}"
        return found.scores


def _curves(
    sessions: Sequence[SessionResult], scoring: SessionScoring, verdicts: _Verdicts
) -> list[TurnCurve]:
    judge, rule = verdicts.judge.name, scoring.rule
    groups = by_model(sessions).items()
    passed = _passed_by(verdicts.judge)
    found = [
        TurnCurve(model, own[0].protocol, passed, tuple(survival_curve(own, verdicts, rule)))
        for model, own in groups
    ]
    for title, grade in rule.grades.items():
        figure = TurnFigure(
            title.replace(" ", "_"), f"{title} from 0 to 10, by {judge}", "higher", 2, (0.0, 10.0)
        )
        found += [
            TurnCurve(model, own[0].protocol, figure, tuple(grade_curve(own, verdicts, rule, grade)))
            for model, own in groups
        ]
    return [curve for curve in found if any(point.n for point in curve.points)]
