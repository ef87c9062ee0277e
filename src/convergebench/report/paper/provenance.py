"""The origin of the numbers: editors, runs, versions, usage, and what is missing."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

from convergebench._version import __version__
from convergebench.analysis import Results, missing_values
from convergebench.benchmarks.wording import wording_name
from convergebench.report.formatting import ABSENT, duration, number
from convergebench.report.paper.grids import Grid
from convergebench.report.paper.part import PaperPart
from convergebench.report.shareable import shareable_reason
from convergebench.results import Records
from convergebench.types import SuiteId

_MOST_REASONS = 30
_MOST_RUNS = 20
_LONGEST = 220


def models_grid(records: Records, suite: SuiteId | None) -> Grid | None:
    """The editors of a suite, or of the whole workspace; floors last."""
    known = records.editors_of(suite) if suite else list(records.editors.values())
    editors = sorted(known, key=lambda one: (one.role == "floor", one.role, one.name))
    rows = [[one.label, one.role, one.version, one.fingerprint, _settings(one.parameters)] for one in editors]
    headings = ["editor", "role", "version", "fingerprint", "parameters"]
    return Grid(headings, rows, left=range(5)) if rows else None


def judges_grid(records: Records) -> Grid | None:
    """One row per judge and rubric that it was asked."""
    asked = dict.fromkeys((one.judge, one.rubric) for one in records.judgements)
    judges = {one.fingerprint: one for one in records.judges}
    rows = []
    for judge, rubric in asked:
        used, by = records.rubrics[rubric], judges.get(judge)
        settings = _settings(by.settings) if by else ABSENT
        rows.append([records.judge_labels[judge], used.name, wording_name(used.wording), settings])
    headings = ["judge", "rubric", "wording", "settings"]
    return Grid(headings, sorted(rows), left=range(4)) if rows else None


def use_grid(results: Results) -> Grid | None:
    rows = [
        [use.model, f"{use.complete} of {use.trajectories}", str(use.edits), str(use.failures),
         duration(use.mean_seconds), number(use.cost_usd, 2)]
        for use in results.uses
    ]  # fmt: skip
    headings = ["editor", "complete chains", "edits", "failed", "seconds an edit", "cost in $"]
    return Grid(headings, rows) if rows else None


def versions_grid(results: Results) -> Grid | None:
    """The versions of the metrics that measured this suite's returns; imported values are marked."""
    counts: Counter[tuple[str, str]] = Counter()
    for item in results.returns:
        counts.update((one.metric, one.version) for one in item.values.values())
    facts = {one.name: one for one in results.metrics}
    order = list(facts)
    rows = [
        [name, facts[name].dimension, facts[name].unit or ABSENT, facts[name].better, version,
         str(count)]
        for (name, version), count in sorted(counts.items(), key=lambda one: order.index(one[0][0]))
    ]  # fmt: skip
    headings = ["metric", "dimension", "unit", "better", "version", "tried on"]
    return Grid(headings, rows, left=(0, 1, 2, 3, 4)) if rows else None


def runs_grid(records: Records) -> Grid | None:
    """The newest first."""
    rows = [
        [str(run.id), run.started[:16].replace("T", " "), run.outcome or "not finished", run.package,
         _settings(run.settings)]
        for run in records.runs[: -_MOST_RUNS - 1 : -1]
    ]  # fmt: skip
    headings = ["#", "started (UTC)", "ended", "package", "settings"]
    return Grid(headings, rows, left=(1, 2, 3, 4)) if rows else None


def missing_grid(results: Results) -> Grid | None:
    """Over all rounds, the most frequent first; models that lack a metric for one reason share a row."""
    counts: dict[tuple[str, str], Counter[str]] = {}
    for gap in missing_values(results):
        counts.setdefault((gap.what, gap.reason), Counter())[gap.model] += gap.count
    ordered = sorted(counts.items(), key=lambda one: -one[1].total())
    rows = [
        [what, str(models.total()), _named(models), shareable_reason(reason)]
        for (what, reason), models in ordered[:_MOST_REASONS]
    ]
    more = len(ordered) - _MOST_REASONS
    notes = [f"{more} rarer reasons are not shown."] if more > 0 else []
    return Grid(["what", "count", "of", "why"], rows, left=(0, 2, 3), notes=notes) if rows else None


def provenance_part(records: Records, results: Results | None) -> PaperPart:
    """The tables of the appendix that the workspace allows, and what is missing."""
    found = {
        "models": models_grid(records, results.suite if results else None),
        "judges": judges_grid(records),
        "use": use_grid(results) if results else None,
        "versions": versions_grid(results) if results else None,
        "runs": runs_grid(records),
        "missing": missing_grid(results) if results else None,
    }
    return PaperPart(
        claims={"provenance": [f"This document was generated by convergebench {__version__}."]},
        tables={name: [grid] for name, grid in found.items() if grid is not None},
    )


def _settings(settings: Mapping[str, Any]) -> str:
    """The settings that differ from an empty value, as name=value."""
    given = {name: value for name, value in settings.items() if value not in (None, [], {}, "")}
    return _cut(", ".join(f"{name}={_value(value)}" for name, value in given.items())) or ABSENT


def _value(value: Any) -> str:
    if isinstance(value, list):
        return "+".join(map(str, value))
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _named(models: Counter[str]) -> str:
    named = [f"{model} {count}" for model, count in models.most_common(6)]
    more = [f"{len(models) - 6} more"] if len(models) > 6 else []
    return ", ".join([*named, *more])


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
