"""Summary tables of verdicts: each model by rubric, and by subset as defined by its benchmark."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from convergebench.analysis.judged.benchmark_scores import (
    BenchmarkRow,
    VerdictRow,
    benchmark_row,
    sample_mean,
    scores_of,
)
from convergebench.analysis.judged.judge_summary import JudgedRow, JudgedScore, judge_summary
from convergebench.analysis.statistics.clustered_mean import Scale
from convergebench.benchmarks.benchmark import JudgedBenchmark
from convergebench.benchmarks.registry import find_benchmark
from convergebench.benchmarks.session_scoring import session_scoring
from convergebench.benchmarks.wording import wording_name
from convergebench.protocols import BY_TURN
from convergebench.protocols.refine import NAMES as REFINING
from convergebench.report.page.step_index import ONE_SHOT, IndexedStep, StepPlace
from convergebench.report.page.verdicts import Judgement
from convergebench.report.tables.benchmark import json_benchmark
from convergebench.results.judgements import RubricRecord
from convergebench.types import SuiteId

ALL = "all"
_MOST_BARS = 12


IN_ENGLISH = "judged by the English instruction"


@dataclass(frozen=True)
class Setting:
    """What verdicts must share to be averaged."""

    judge: str
    suite: SuiteId
    wording: str
    variant: str = ""
    """IN_ENGLISH if the judge was given another instruction than the editor."""
    language: str = ""
    part: str = ""
    """Of the suite's edits; see StepPlace."""

    @property
    def under(self) -> str:
        """For people: whose words, which language, by which instruction."""
        return ", ".join(filter(None, (self.part, wording_name(self.wording), self.language, self.variant)))


def summaries(judgements: Sequence[Judgement]) -> list[dict[str, Any]]:
    """A row for every judge, suite, wording, language, model and rubric that grades pictures."""
    groups: defaultdict[Setting, list[tuple[Judgement, StepPlace]]] = defaultdict(list)
    for one, place in _graded(judgements):
        groups[replace(_setting(one, place), language=place.language)].append((one, place))
    lines = []
    for setting, group in groups.items():
        values: defaultdict[tuple[str, str], list[tuple[int, float]]] = defaultdict(list)
        for one, place in group:
            if one.value is not None:
                values[place.model, one.rubric.fingerprint].append((place.round, one.value))
        rubrics = {one.rubric.fingerprint: one.rubric for one, _ in group}
        where = {"judge": setting.judge, "suite": setting.suite, "under": setting.under}
        for row in judge_summary(_score(one, place) for one, place in group):
            found = values[row.model, row.rubric]
            lines.append({**where, **_summary(row, rubrics[row.rubric], found)})
    return sorted(lines, key=_best_first)


def _setting(one: Judgement, place: StepPlace) -> Setting:
    is_other = place.protocol == ONE_SHOT and one.instruction not in (None, place.instruction)
    return Setting(
        one.judge, place.suite, one.rubric.wording, IN_ENGLISH if is_other else "", part=place.part
    )


def _best_first(line: Mapping[str, Any]) -> tuple[Any, ...]:
    return (
        line["judge"],
        line["suite"],
        line["under"],
        line["rubric"],
        line["mean"] is None,
        -(line["mean"] or 0.0),
    )


def _graded(judgements: Sequence[Judgement]) -> Iterator[tuple[Judgement, StepPlace]]:
    for one in judgements:
        if one.rubric.grades:
            yield from ((one, place) for place in one.places if not _has_its_own_view(one, place))


def _has_its_own_view(one: Judgement, place: StepPlace) -> bool:
    """Refined pictures are compared with the primary ones. Sessions are judged until they fail, so that a
    mean over turns would leave out those after a failure; they have curves."""
    return place.protocol in REFINING or (
        place.protocol in BY_TURN and one.rubric.id == session_scoring(place.suite).rubric
    )


def _score(one: Judgement, place: StepPlace) -> JudgedScore:
    subject = f"{place.protocol}/{place.case}/{place.seed}/{place.round}"
    missing = None if one.value is not None else one.outcome
    return JudgedScore(
        place.model, one.rubric.fingerprint, subject, place.picture, one.record.repeat, one.value, missing,
        possible=one.rubric.range,
    )  # fmt: skip


def _summary(row: JudgedRow, rubric: RubricRecord, values: Sequence[tuple[int, float]]) -> dict[str, Any]:
    mean = row.mean
    by_round: defaultdict[int, list[float]] = defaultdict(list)
    for number, value in values:
        by_round[number].append(value)
    return {
        "model": row.model, "rubric": row.rubric, "n": row.n, "missing": row.missing,
        "kinds": list(row.kinds.items()), "mean": mean and mean.mean, "low": mean and mean.low,
        "high": mean and mean.high, "alpha": row.agreement.alpha,
        "spread": row.spread and row.spread.standard_deviation,
        "bars": _bars([value for _, value in values], *rubric.range),
        "rounds": [(number, sum(one) / len(one), len(one)) for number, one in sorted(by_round.items())],
    }  # fmt: skip


def _bars(values: Sequence[float], low: float, high: float) -> list[int]:
    """The number of values at each whole grade, or at each tenth of a wider scale."""
    last = int(high - low) if high - low < _MOST_BARS else 10
    counts = [0] * (last + 1)
    for value in values:
        counts[round((value - low) / (high - low) * last)] += 1
    return counts


def subset_tables(judgements: Sequence[Judgement], steps: Sequence[IndexedStep]) -> list[dict[str, Any]]:
    """The rows of `subset_rows`, for the page."""
    return [
        {"judge": setting.judge, "suite": setting.suite, "under": setting.under,
         "rows": [_paired(row) for row in json_benchmark(rows)]}
        for setting, rows in subset_rows(judgements, steps)
    ]  # fmt: skip


def subset_rows(
    judgements: Sequence[Judgement], steps: Sequence[IndexedStep]
) -> list[tuple[Setting, list[BenchmarkRow]]]:
    """For every suite, judge and wording, the table of its benchmark, or otherwise each rubric's means by
    category. Of a rubric's versions in one wording, the newest counts."""
    groups: defaultdict[Setting, list[tuple[Judgement, StepPlace]]] = defaultdict(list)
    newest = {
        (one.rubric.id, one.rubric.wording): one.rubric.fingerprint
        for one in sorted(judgements, key=lambda one: one.record.at)
    }
    graded = [
        (one, place)
        for one, place in _graded(judgements)
        if newest[one.rubric.id, one.rubric.wording] == one.rubric.fingerprint
    ]
    variants: defaultdict[tuple[str, str, str], set[str]] = defaultdict(set)
    for one, place in graded:
        if one.instruction is not None:
            setting = _setting(one, place)
            variants[setting.judge, setting.suite, setting.wording].add(setting.variant)
    for one, place in graded:
        setting = _setting(one, place)
        known = variants[setting.judge, setting.suite, setting.wording]
        # A verdict without an instruction, as on quality alone, belongs to every variant.
        # A benchmark's own table has a row for each language.
        language = "" if find_benchmark(setting.suite) else place.language
        for variant in (sorted(known) or [""]) if one.instruction is None else [setting.variant]:
            groups[replace(setting, variant=variant, language=language)].append((one, place))
    return [(setting, _rows(setting, group, steps)) for setting, group in groups.items()]


def _rows(
    setting: Setting, group: Sequence[tuple[Judgement, StepPlace]], steps: Sequence[IndexedStep]
) -> list[BenchmarkRow]:
    suite = setting.suite
    name, benchmark = suite.name, find_benchmark(suite)
    rows = [_verdict(one, place) for one, place in group]
    if benchmark:
        table = benchmark.table(name, _expected(rows, steps, suite, benchmark))
    else:
        table = _by_category(name, rows, {one.rubric.id: one.rubric.range for one, _ in group})
    return [replace(row, wording=setting.wording) for row in table]


def _paired(row: Mapping[str, Any]) -> dict[str, Any]:
    """Reasons as pairs, since keys in the page's data must not be untrusted text."""
    return {**row, "reasons": list(row["reasons"].items())}


def _verdict(one: Judgement, place: StepPlace) -> VerdictRow:
    missing = None if one.value is not None else f"verdict {one.outcome.replace('_', ' ')}"
    return VerdictRow(
        place.model, place.case, place.category, place.language, place.picture, one.rubric.id, one.value,
        missing, place.seed, one.record.repeat,
    )  # fmt: skip


def _expected(
    rows: Sequence[VerdictRow], steps: Sequence[IndexedStep], suite: SuiteId, benchmark: JudgedBenchmark
) -> list[VerdictRow]:
    """The verdicts, and a missing verdict for every edit and rubric without one."""
    wanted = {rubric for row in rows for rubric in benchmark.rubrics_of(row.subset)}
    there = {(row.sample, row.rubric) for row in rows}
    found = [row for row in rows if row.rubric in wanted]
    for step in steps:
        place = step.place
        if (place.suite, place.protocol) != (suite, "one_shot"):
            continue
        failure = step.record.failure and f"no picture: {step.record.reason}"
        edit = VerdictRow(
            place.model, place.case, place.category, place.language, place.picture, "", None,
            failure or "not judged yet", place.seed,
        )  # fmt: skip
        found += [
            replace(edit, rubric=rubric)
            for rubric in benchmark.rubrics_of(place.category)
            if (edit.sample, rubric) not in there
        ]
    return found


def _by_category(suite: str, rows: Sequence[VerdictRow], scales: Mapping[str, Scale]) -> list[BenchmarkRow]:
    table = []
    for model, rubric in dict.fromkeys((row.model, row.rubric) for row in rows):
        scores = scores_of([row for row in rows if row.model == model], rubric)
        subsets: dict[str, dict[Any, float | str]] = {}
        for sample, score in scores.items():
            subsets.setdefault(sample.subset, {})[sample] = score
        parts = [*sorted(subsets.items()), (ALL, scores)]
        table += [
            benchmark_row(model, suite, "", rubric, subset, of, sample_mean(of, scales[rubric]))
            for subset, of in parts
        ]
    return table
