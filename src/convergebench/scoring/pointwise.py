"""Score the single edits in a workspace: judge them, and compute the figures of their benchmark."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

from convergebench.analysis.judged.agreement import krippendorff_alpha, spread
from convergebench.analysis.judged.benchmark_scores import (
    NO_SUBSET,
    NO_VERDICT,
    BenchmarkRow,
    Sample,
    VerdictRow,
    with_published_figures,
)
from convergebench.analysis.statistics.clustered_mean import draw_ahead
from convergebench.benchmarks.benchmark import AsPublished, JudgedBenchmark
from convergebench.benchmarks.registry import benchmark_of
from convergebench.benchmarks.wording import chosen_rubrics
from convergebench.engine.judging.candidates import JudgingCandidate, judging_candidates
from convergebench.engine.judging.judge_tasks import (
    JudgingOutcome,
    JudgingProgress,
    JudgingTask,
    judge_arriving,
)
from convergebench.engine.judging.reference_pictures import store_references
from convergebench.engine.judging.stage import JudgingStage
from convergebench.engine.run_limits import DEFAULT_LIMITS, RunLimits
from convergebench.errors import WrongUse
from convergebench.judges import Judge, Rubric, Subject, Verdict
from convergebench.picture import Picture
from convergebench.protocols import one_shot
from convergebench.results import Records
from convergebench.results.model_labels import without_address
from convergebench.store import Workspace
from convergebench.suites.case_hints import ENGLISH
from convergebench.types import Case, Suite, SuiteId

TakeIn: TypeAlias = Callable[[Callable[[int, Sequence[Picture]], None]], None]
"""Brings edits into the workspace, and calls back with the trajectory and the pictures of each that is
stored."""
_READ_TOGETHER = 8
"""How many stored edits are read together."""
_AHEAD = 2
"""How many judgements may wait for each question that is asked at once."""
_WAIT_SECONDS = 0.01


@dataclass(frozen=True)
class Completeness:
    """How many of a model's samples have every verdict."""

    complete: int
    samples: int


@dataclass(frozen=True)
class RepeatAgreement:
    """How far a judge agrees with itself over repeats by one rubric."""

    rubric: str
    alpha: float | None
    """Krippendorff's; None where all values are equal."""
    spread: float
    """The standard deviation within samples, pooled."""
    samples: int


@dataclass(frozen=True)
class Scored:
    rows: list[BenchmarkRow]
    judged: JudgingOutcome
    wording: str
    """Whose words the judge was asked in: this package's own if empty, else published-… or custom-DIGEST."""
    completeness: Mapping[str, Completeness]
    """By model."""
    agreements: Sequence[RepeatAgreement] = ()
    """Empty without repeats."""

    @property
    def is_complete(self) -> bool:
        return all(one.complete == one.samples for one in self.completeness.values())


async def score_suite(
    workspace: Workspace,
    suite: Suite,
    judge: Judge,
    *,
    models: Sequence[str] = (),
    repeats: int = 1,
    judge_in_english: bool = False,
    prompts: str = "",
    as_published: bool = False,
    limits: RunLimits = DEFAULT_LIMITS,
    retry_missing: bool = False,
    progress: JudgingProgress | None = None,
    take_in: TakeIn | None = None,
) -> Scored:
    """Judge the suite's cases in the workspace and compute the benchmark's figures, with what is missing.

    Each case is judged by its own instruction; `judge_in_english` gives the judge the English one of every
    case that has one, as published figures of WiseEdit do. `prompts` is a copy of the benchmark's repository,
    whose published wording is used, or rubrics of your own; without it the wording is ours. `as_published`
    puts figures by the benchmark's own treatment of missing data beside ours, and shows pictures as its
    programs do. `retry_missing` asks again for verdicts that are missing. `take_in` brings edits into the
    workspace while those that are there are judged.
    """
    name = suite.id
    benchmark = benchmark_of(suite.name)
    if take_in is None:
        _edits(Records.of(workspace), name, models)
    store_references(workspace.pictures, suite.cases)
    published = _as_published(benchmark) if as_published else None
    rubrics = _rubrics(suite, benchmark, prompts, published)
    wording = next((one.wording for one in rubrics.values() if one.wording), "")
    candidates: list[JudgingCandidate] = []
    edits: dict[_Edit, str | None] = {}
    drawing: list[asyncio.Task[None]] = []
    chosen = _Chosen(suite, benchmark, rubrics, models, repeats, judge_in_english)

    def tasks_of(trajectories: Sequence[int]) -> list[JudgingTask]:
        return [one.task for one in chosen.candidates(Records(workspace, only=trajectories))]

    def read_all() -> None:
        records = Records.of(workspace)
        candidates.extend(chosen.candidates(records))
        edits.update(_edits(records, name, models))

    async def arriving(stage: JudgingStage) -> list[JudgingTask]:
        if take_in is not None:
            await _while_taken_in(take_in, stage, tasks_of)
        await asyncio.to_thread(read_all)
        drawing.append(asyncio.create_task(asyncio.to_thread(draw_ahead, _picture_counts(suite))))
        return [one.task for one in candidates]

    settings = {"command": "score", "suite": name, "repeats": repeats, "wording": wording,
                "as_published": as_published}  # fmt: skip
    judged = await judge_arriving(arriving, judge, workspace, settings, limits, retry_missing, progress)
    await asyncio.gather(*drawing)
    verdicts = zip(candidates, judged.verdicts, strict=True)
    rows = _verdict_rows(suite, benchmark, edits, verdicts, repeats, published)
    table = benchmark.table(suite.name, rows)
    if published is not None:
        table = with_published_figures(table, benchmark.table(suite.name, published.verdicts(rows)))
    by = Records.of(workspace).judge_labels.get(judge.facts.fingerprint, without_address(judge.facts.name))
    table = [replace(row, judge=by, wording=wording) for row in table]
    return Scored(table, judged, wording, _completeness(rows), list(_agreements(rows)))


async def _while_taken_in(
    take_in: TakeIn, stage: JudgingStage, tasks_of: Callable[[Sequence[int]], list[JudgingTask]]
) -> None:
    """Have edits judged while others are taken in: not far ahead of the judge, who has the processor first,
    and while their pictures are still in memory."""
    loop, ahead = asyncio.get_running_loop(), _AHEAD * stage.at_once
    stored: list[int] = []

    def on_stored(trajectory: int, pictures: Sequence[Picture]) -> None:
        stage.keep(pictures)
        stored.append(trajectory)
        if len(stored) == _READ_TOGETHER:
            loop.call_soon_threadsafe(stage.add, tasks_of(stored))
            stored.clear()
        while stage.backlog > ahead:
            time.sleep(_WAIT_SECONDS)

    await asyncio.to_thread(take_in, on_stored)


def _picture_counts(suite: Suite) -> set[int]:
    """How many pictures there are in all and in each subset, over which means will have intervals."""
    pictures: dict[str | None, set[str]] = {}
    for case in suite.cases:
        pictures.setdefault(None, set()).add(case.source.id)
        pictures.setdefault(case.category, set()).add(case.source.id)
    return {len(found) for found in pictures.values()}


def _agreements(rows: Sequence[VerdictRow]) -> Iterator[RepeatAgreement]:
    for name in dict.fromkeys(row.rubric for row in rows):
        values: dict[Sample, list[float]] = {}
        for row in rows:
            if row.rubric == name and row.value is not None:
                values.setdefault(row.sample, []).append(row.value)
        repeats = [found for found in values.values() if len(found) > 1]
        within = spread(repeats)
        if within is not None:
            alpha = krippendorff_alpha(repeats, "interval").alpha
            yield RepeatAgreement(name, alpha, within.standard_deviation, len(repeats))


def _as_published(benchmark: JudgedBenchmark) -> AsPublished:
    if benchmark.as_published is None:
        raise WrongUse(
            f"{benchmark.name} has no published treatment of missing data; leave --as-published out"
        )
    return benchmark.as_published


def _rubrics(
    suite: Suite, benchmark: JudgedBenchmark, prompts: str, published: AsPublished | None
) -> dict[str, Rubric]:
    names = [name for case in suite.cases for name in benchmark.rubrics_of(case.category)]
    found = chosen_rubrics(names, prompts, [benchmark.published] if benchmark.published else [])
    if published is None or not published.result_like_source:
        return found
    return {
        name: replace(one, pictures=replace(one.pictures, result_like_source=True))
        for name, one in found.items()
    }


def _completeness(rows: Iterable[VerdictRow]) -> dict[str, Completeness]:
    """By model."""
    samples: dict[str, dict[Sample, bool]] = {}
    for row in rows:
        if row.subset == NO_SUBSET:  # asking again cannot help
            continue
        of_model = samples.setdefault(row.model, {})
        of_model[row.sample] = of_model.get(row.sample, True) and row.value is not None
    return {model: Completeness(sum(found.values()), len(found)) for model, found in samples.items()}


@dataclass(frozen=True)
class _Chosen:
    """What of a workspace is judged."""

    suite: Suite
    benchmark: JudgedBenchmark
    rubrics: Mapping[str, Rubric]
    models: Sequence[str]
    repeats: int
    in_english: bool

    @cached_property
    def _cases(self) -> Mapping[str, Case]:
        return {case.id: case for case in self.suite.cases}

    @cached_property
    def _rubrics_of(self) -> Mapping[str, Sequence[str]]:
        """By category."""
        categories = {case.category for case in self.suite.cases}
        return {category: tuple(self.benchmark.rubrics_of(category)) for category in categories}

    def candidates(self, records: Records) -> list[JudgingCandidate]:
        found = [
            one
            for one in judging_candidates(
                records, list(self.rubrics.values()),
                suite=self.suite.id, models=self.models, repeats=self.repeats,
            )
            if one.place.case in self._cases and one.task.rubric.id in self._rubrics_of[one.place.category]
        ]  # fmt: skip
        return [_in_english(one, self._cases[one.place.case]) for one in found] if self.in_english else found


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


def _edits(records: Records, suite: SuiteId, models: Sequence[str]) -> dict[_Edit, str | None]:
    """Every edit of the suite that was begun, and why it has no picture, if it has none. Raises WrongUse if
    there is none."""
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
    if not found:
        raise WrongUse(
            f"{records.workspace.folder} has no edits of {suite}; run a model on it or give a list of edits"
        )
    return found


def _verdict_rows(
    suite: Suite,
    benchmark: JudgedBenchmark,
    edits: Mapping[_Edit, str | None],
    judged: Iterable[tuple[JudgingCandidate, Verdict | None]],
    repeats: int,
    published: AsPublished | None,
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
        rows += _unusable_rows(suite, benchmark, model)
        for case in suite.cases:
            for edit in (_Edit(model, case.id, seed) for seed in seeds.get((model, case.id), [0])):
                absent = edits.get(edit, "no picture: not edited yet")
                part = published.part_of(case.hints) if published else ""
                for name in benchmark.rubrics_of(case.category):
                    rows += [
                        _verdict_row(
                            edit, case, name, repeat, absent, verdicts.get((edit, name, repeat)), part
                        )
                        for repeat in range(repeats)
                    ]
    return rows


def _unusable_rows(suite: Suite, benchmark: JudgedBenchmark, model: str) -> list[VerdictRow]:
    """The set's entries that are no cases: missing, and of no known subset."""
    return [
        VerdictRow(
            model, entry.name, NO_SUBSET, suite.cases[0].language, entry.name, name,
            value=None, missing=f"the set's entry cannot be used: {entry.reason}",
        )
        for entry in suite.unusable
        for name in benchmark.rubrics_of(NO_SUBSET)
    ]  # fmt: skip


def _verdict_row(
    edit: _Edit,
    case: Case,
    rubric_id: str,
    repeat: int,
    absent: str | None,
    verdict: Verdict | None,
    part: str,
) -> VerdictRow:
    value = verdict.value if verdict else None
    missing = absent or (f"{NO_VERDICT}{verdict.outcome.replace('_', ' ')}" if verdict else "not judged yet")
    return VerdictRow(
        edit.model, case.id, case.category, case.language, case.source.id, rubric_id,
        value, missing if value is None else None, edit.seed, repeat, part,
    )  # fmt: skip
