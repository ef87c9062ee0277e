"""How judges score sessions: the question about each turn, and when a turn passes, by set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from convergebench.analysis.sessions.figures import PASSED, TurnCurve, TurnFigure
from convergebench.analysis.sessions.passes import (
    EDIVAL,
    MSE_BENCH,
    NOT_JUDGED,
    PassRule,
    Scores,
    failed_before,
    grade_curve,
    survival_curve,
)
from convergebench.analysis.sessions.turns import Reading, SessionResult, by_model
from convergebench.benchmarks import mse_bench_wording
from convergebench.benchmarks.mse_bench_wording import template_texts
from convergebench.benchmarks.wording import PublishedRubrics, chosen_rubrics, wording_name
from convergebench.errors import WrongUse
from convergebench.judges import Rubric, Subject, rubric
from convergebench.judges.asking import pictures_sent, texts_sent
from convergebench.protocols.base import TURN
from convergebench.results import Records
from convergebench.results.judgements import JudgementRecord, RubricRecord
from convergebench.results.steps import StepRecord
from convergebench.types import Digest, SuiteId


@dataclass(frozen=True)
class SessionScoring:
    rubric: str
    rule: PassRule
    sees_history: bool
    """Whether the judge sees the results and instructions of all turns so far, or this turn's alone."""
    published: PublishedRubrics | None = None


_BY_EDIVAL = SessionScoring("session_instruction", EDIVAL, sees_history=False)
_BY_MSE_BENCH = SessionScoring(
    "session_turn", MSE_BENCH, sees_history=True, published=mse_bench_wording.PUBLISHED
)
_EDIVAL_SETS = ("edival", "edival-mini", "mice")


def session_scoring(suite: SuiteId) -> SessionScoring:
    """EdiVal's for the sets that it defines, MSE-Bench's for all others."""
    return _BY_EDIVAL if suite.name in _EDIVAL_SETS else _BY_MSE_BENCH


def session_rubric(suite: SuiteId, prompts: str = "") -> Rubric:
    """The question about a turn, in our own words, or in those that `prompts` names (`chosen_rubrics`)."""
    scoring = session_scoring(suite)
    published = [scoring.published] if scoring.published else []
    chosen = chosen_rubrics([scoring.rubric], prompts, published)[scoring.rubric]
    grades = [one.name for one in rubric(scoring.rubric).ask]
    if [one.name for one in chosen.ask] != grades:
        raise WrongUse(
            f"{prompts} must ask for {' and '.join(grades)}, since these decide whether a turn passes"
        )
    return chosen


def turn_subjects(steps: Sequence[StepRecord], scoring: SessionScoring) -> dict[int, Subject]:
    """What a judge is shown of each turn of one trajectory that has a picture."""
    found = {}
    for place, step in enumerate(steps):
        if step.picture is None:
            continue
        so_far = steps[: place + 1] if scoring.sees_history and step.role == TURN else [step]
        instruction = step.instruction
        if len(so_far) > 1:
            instruction = "\n".join(f"{one.round}. {one.instruction}" for one in so_far)
        pictures = {"source": tuple(one.inputs[0] for one in so_far), "result": (step.picture,)}
        asked = template_texts([one.instruction for one in so_far])
        found[step.round] = Subject(pictures, {"instruction": instruction, **asked})
    return found


def steps_of(records: Records, sessions: Sequence[SessionResult]) -> dict[int, list[StepRecord]]:
    """The steps of these sessions by trajectory, in order."""
    wanted = {session.trajectory for session in sessions}
    found: dict[int, list[StepRecord]] = {}
    for step in records.steps:
        if step.trajectory in wanted:
            found.setdefault(step.trajectory, []).append(step)
    return found


def judged_curves(records: Records, suite: SuiteId, sessions: Sequence[SessionResult]) -> list[TurnCurve]:
    """Survival and grades by turn from the verdicts in the workspace, for every judge with some; no judge is
    asked."""
    scoring = session_scoring(suite)
    return [curve for one in _judges(records, suite, sessions) for curve in _curves(sessions, scoring, one)]


def pass_readings(
    records: Records, suite: SuiteId, sessions: Sequence[SessionResult]
) -> dict[TurnFigure, Reading]:
    """Whether a session passed every turn so far, 100 or 0, by each judge with verdicts."""
    rule = session_scoring(suite).rule

    def reading_of(verdicts: _Verdicts) -> Reading:
        def reading(session: SessionResult, turn: int) -> float | str:
            failed = failed_before(session, turn + 1, verdicts, rule)
            return failed if isinstance(failed, str) else 0.0 if failed else 100.0

        return reading

    return {one.passed: reading_of(one) for one in _judges(records, suite, sessions)}


def _judges(records: Records, suite: SuiteId, sessions: Sequence[SessionResult]) -> list[_Verdicts]:
    """For every judge with verdicts, and every wording that it was asked in."""
    scoring = session_scoring(suite)
    asked = rubric(scoring.rubric)
    used = {
        one.fingerprint: one
        for one in records.rubrics.values()
        if one.id == asked.id and (one.wording or one.fingerprint == asked.fingerprint)
    }
    own = [one for one in records.judgements if one.rubric in used and one.outcome]
    by_judge: dict[tuple[Digest, Digest], dict[_Question, JudgementRecord]] = {}
    for one in own:
        if not one.repeat:
            question = (one.pictures, frozenset(one.texts.items()))
            by_judge.setdefault((one.judge, one.rubric), {})[question] = one
    labels = records.judge_labels
    steps = steps_of(records, sessions)
    subjects = {key: turn_subjects(group, scoring) for key, group in steps.items()}
    return [
        _Verdicts(labels[judge], used[question].wording, _seeing(asked, used[question]), subjects, found)
        for (judge, question), found in by_judge.items()
    ]


def _seeing(own: Rubric, used: RubricRecord) -> Rubric:
    shown, if_given = (tuple(used.content.get(name, ())) for name in ("sees", "sees_if_given"))
    return replace(own, sees=shown, sees_if_given=if_given)


_Question: TypeAlias = tuple[tuple[tuple[str, Digest], ...], frozenset[tuple[str, Any]]]
"""The pictures and texts of a judgement."""


@dataclass(frozen=True)
class _Verdicts:
    """One judge's verdicts on turns."""

    judge: str
    wording: str
    rubric: Rubric
    """Sees what the judge was shown, whatever the words."""
    subjects: dict[int, dict[int, Subject]]
    by_question: dict[_Question, JudgementRecord]

    @property
    def by(self) -> str:
        """Who judged, and in whose words if they are not ours."""
        return f"{self.judge}, {wording_name(self.wording)}" if self.wording else self.judge

    @property
    def passed(self) -> TurnFigure:
        return self.figure(PASSED)

    def figure(self, of: TurnFigure) -> TurnFigure:
        return replace(
            of, title=f"{of.title}, by {self.by}", judge=self.judge, wording=wording_name(self.wording)
        )

    def __call__(self, session: SessionResult, turn: int) -> Scores | str:
        result = session.turns[turn - 1]
        if result.missing is not None:
            return result.missing
        subject = self.subjects[session.trajectory][turn]
        texts = frozenset(texts_sent(self.rubric, subject).items())
        found = self.by_question.get((pictures_sent(self.rubric, subject), texts))
        if found is None:
            return NOT_JUDGED
        if found.outcome != "ok":
            return f"verdict {str(found.outcome).replace('_', ' ')}"
        return found.scores


def _curves(
    sessions: Sequence[SessionResult], scoring: SessionScoring, verdicts: _Verdicts
) -> list[TurnCurve]:
    rule, passed = scoring.rule, verdicts.passed
    groups = by_model(sessions).items()
    found = [
        TurnCurve(model, own[0].protocol, passed, tuple(survival_curve(own, verdicts, rule)))
        for model, own in groups
    ]
    for title, grade in rule.grades.items():
        of = TurnFigure(title.replace(" ", "_"), f"{title} from 0 to 10", "higher", 2, (0.0, 10.0))
        figure = verdicts.figure(of)
        found += [
            TurnCurve(model, own[0].protocol, figure, tuple(grade_curve(own, verdicts, rule, grade)))
            for model, own in groups
        ]
    return [curve for curve in found if any(point.n for point in curve.points)]
