"""The origin of the numbers: editors, runs, versions, usage, and what is missing."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from convergebench.analysis import Results, missing_values
from convergebench.report.formatting import ABSENT, duration, number
from convergebench.report.paper.grids import Grid
from convergebench.results import Records

_MOST_REASONS = 30
_MOST_RUNS = 20
_LONGEST = 220


def models_grid(records: Records, results: Results) -> Grid | None:
    """Floors last."""
    editors = sorted(
        records.editors_of(results.suite), key=lambda one: (one.role == "floor", one.role, one.name)
    )
    rows = [[one.label, one.role, one.version, one.fingerprint, _settings(one.parameters)] for one in editors]
    headings = ["editor", "role", "version", "fingerprint", "parameters"]
    return Grid(headings, rows, left=range(5)) if rows else None


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
        [what, str(models.total()), _named(models), _cut(reason)]
        for (what, reason), models in ordered[:_MOST_REASONS]
    ]
    more = len(ordered) - _MOST_REASONS
    notes = [f"{more} rarer reasons are not shown; convergebench export lists them all."] if more > 0 else []
    return Grid(["what", "count", "of", "why"], rows, left=(0, 2, 3), notes=notes) if rows else None


def grids_of(records: Records, results: Results) -> Iterator[tuple[str, Grid]]:
    """Every table that the workspace allows, by its name in the template."""
    found = {
        "models": models_grid(records, results),
        "use": use_grid(results),
        "versions": versions_grid(results),
        "runs": runs_grid(records),
        "missing": missing_grid(results),
    }
    yield from ((name, grid) for name, grid in found.items() if grid is not None)


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
