"""Score the single edits in a workspace: judge them, and compute the figures of their benchmark."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from convergebench.analysis.judged.benchmark_scores import BenchmarkRow, VerdictRow
from convergebench.benchmarks.benchmark import JudgedBenchmark
from convergebench.benchmarks.registry import benchmark_of
from convergebench.benchmarks.wording import chosen_rubrics
from convergebench.engine.judging.candidates import JudgingCandidate, judging_candidates
from convergebench.engine.judging.judge_tasks import JudgingOutcome, JudgingProgress, judge_in_run
from convergebench.engine.judging.reference_pictures import store_references
from convergebench.engine.run_limits import DEFAULT_LIMITS, RunLimits
from convergebench.errors import WrongUse
from convergebench.judges import Judge, Rubric, Subject, Verdict
from convergebench.protocols import one_shot
from convergebench.results import Records, SuiteId
from convergebench.store import Workspace
from convergebench.suites.case_hints import ENGLISH
from convergebench.types import Case, Suite


@dataclass(frozen=True)
class Scored:
    rows: list[BenchmarkRow]
    judged: JudgingOutcome
    wording: str
    """Whose words the judge was asked in: this package's own if empty, else published-… or custom-DIGEST."""


async def score_suite(
    workspace: Workspace,
    suite: Suite,
    judge: Judge,
    *,
    models: Sequence[str] = (),
    repeats: int = 1,
    judge_in_english: bool = False,
    prompts: str = "",
    limits: RunLimits = DEFAULT_LIMITS,
    retry_missing: bool = False,
    progress: JudgingProgress | None = None,
) -> Scored:
    """Judge the suite's cases in the workspace and compute the benchmark's figures, with what is missing.

    Each case is judged by its own instruction; `judge_in_english` gives the judge the English one of every
    case that has one, as published figures of WiseEdit do. `prompts` is a copy of the benchmark's repository,
    whose published wording is used, or rubrics of your own; without it the wording is ours. `retry_missing`
    asks again for verdicts that are missing.
    """
    name = full_name(suite)
    benchmark = benchmark_of(suite.name)
    edits = _edits(workspace, name, models)
    if not edits:
        raise WrongUse(
            f"{workspace.folder} has no edits of {name}; run a model on it or give a list of edits"
        )
    store_references(workspace.pictures, suite.cases)
    rubrics = _rubrics(suite, benchmark, prompts)
    wording = next((one.wording for one in rubrics.values() if one.wording), "")
    candidates = _candidates(workspace, suite, rubrics, benchmark, models, repeats, judge_in_english)
    settings = {"command": "score", "suite": name, "repeats": repeats, "wording": wording}
    judged = await judge_in_run(
        [one.task for one in candidates], judge, workspace, settings, limits, retry_missing, progress
    )
    verdicts = zip(candidates, judged.verdicts, strict=True)
    rows = _verdict_rows(suite, benchmark, edits, verdicts, repeats)
    table = [
        replace(row, judge=judge.facts.name, wording=wording) for row in benchmark.table(suite.name, rows)
    ]
    return Scored(table, judged, wording)


def full_name(suite: Suite) -> str:
    return str(SuiteId(suite.name, suite.version))


def _rubrics(suite: Suite, benchmark: JudgedBenchmark, prompts: str) -> dict[str, Rubric]:
    names = [name for case in suite.cases for name in benchmark.rubrics_of(case.category)]
    return chosen_rubrics(names, prompts, [benchmark.published] if benchmark.published else [])


def _candidates(
    workspace: Workspace,
    suite: Suite,
    rubrics: Mapping[str, Rubric],
    benchmark: JudgedBenchmark,
    models: Sequence[str],
    repeats: int,
    in_english: bool,
) -> list[JudgingCandidate]:
    cases = {case.id: case for case in suite.cases}
    names = {case.category: tuple(benchmark.rubrics_of(case.category)) for case in suite.cases}
    found = [
        one
        for one in judging_candidates(
            workspace, list(rubrics.values()), suite=full_name(suite), models=models, repeats=repeats
        )
        if one.place.case in cases and one.task.rubric.id in names[one.place.category]
    ]
    return [_in_english(one, cases[one.place.case]) for one in found] if in_english else found


def _in_english(candidate: JudgingCandidate, case: Case) -> JudgingCandidate:
    english = case.hints.get(ENGLISH)
    if not english:
        return candidate
    subject = candidate.task.subject
    translated = Subject(subject.pictures, {**subject.texts, "instruction": english})
    return replace(candidate, task=replace(candidate.task, subject=translated))


@dataclass(frozen=True)
class _Edit:
    model: str
    case: str
    seed: int


def _edits(workspace: Workspace, suite: str, models: Sequence[str]) -> dict[_Edit, str | None]:
    """Every edit of the suite that was begun, and why it has no picture, if it has none."""
    records = Records.of(workspace)
    steps = {step.trajectory: step for step in records.steps}
    found: dict[_Edit, str | None] = {}
    for one in records.trajectories:
        is_single = one.is_newest and one.protocol == one_shot().name
        if is_single and one.case.suite == suite and one.editor.is_one_of(models):
            step = steps.get(one.id)
            reason = step.reason if step else None
            has_picture = step is not None and step.picture is not None
            missing = None if has_picture else f"no picture: {reason or 'not edited yet'}"
            found[_Edit(one.model, one.case.id, one.seed)] = missing
    return found


def _verdict_rows(
    suite: Suite,
    benchmark: JudgedBenchmark,
    edits: Mapping[_Edit, str | None],
    judged: Iterable[tuple[JudgingCandidate, Verdict | None]],
    repeats: int,
) -> list[VerdictRow]:
    """One row for every model, case, rubric and repeat that there should be."""
    verdicts = {
        (_Edit(one.place.model, one.place.case, one.place.seed), one.task.rubric.id, one.task.repeat): verdict
        for one, verdict in judged
    }
    seeds: dict[tuple[str, str], list[int]] = {}
    for edit in edits:
        seeds.setdefault((edit.model, edit.case), []).append(edit.seed)
    rows = []
    for model in dict.fromkeys(edit.model for edit in edits):
        for case in suite.cases:
            for edit in (_Edit(model, case.id, seed) for seed in seeds.get((model, case.id), [0])):
                absent = edits.get(edit, "no picture: not edited yet")
                for name in benchmark.rubrics_of(case.category):
                    rows += [
                        _verdict_row(edit, case, name, repeat, absent, verdicts.get((edit, name, repeat)))
                        for repeat in range(repeats)
                    ]
    return rows


def _verdict_row(
    edit: _Edit, case: Case, rubric_id: str, repeat: int, absent: str | None, verdict: Verdict | None
) -> VerdictRow:
    value = verdict.value if verdict else None
    missing = absent or (f"verdict {verdict.outcome.replace('_', ' ')}" if verdict else "not judged yet")
    return VerdictRow(
        edit.model, case.id, case.category, case.language, case.source.id, rubric_id,
        value, missing if value is None else None, edit.seed, repeat,
    )  # fmt: skip
