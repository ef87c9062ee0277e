"""Returns that were measured elsewhere, and their implausible values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from convergebench.analysis.round_trip.results import Results, Return
from convergebench.suites import reversibility_of
from convergebench.types import ImportedReturn, Measurement

VERSION = "imported"


@dataclass(frozen=True)
class NeverComputed:
    """A metric with the same value in every imported row of a model, although its pictures changed."""

    model: str
    metric: str
    value: float
    rows: int


def imported_returns(rows: Sequence[ImportedReturn]) -> tuple[Return, ...]:
    """The rows as returns; of several with the same key the last counts."""
    newest = {(row.model, row.case, row.seed, row.round): row for row in rows}
    return tuple(
        Return(
            model=row.model,
            role="model",
            case=row.case,
            picture=row.picture,
            pair=row.pair,
            kind=row.kind,
            category=row.category,
            seed=row.seed,
            round=row.round,
            digest="",
            values={name: Measurement(name, VERSION, value) for name, value in row.measured.items()},
            imported=True,
            reversibility=reversibility_of(row.pair),
        )
        for row in newest.values()
    )


def never_computed(rows: Sequence[tuple[str, str, float]]) -> tuple[NeverComputed, ...]:
    """From (model, metric, value): metrics with one value throughout where another metric has several."""
    values: dict[tuple[str, str], set[float]] = {}
    counts: dict[tuple[str, str], int] = {}
    for model, metric, value in rows:
        values.setdefault((model, metric), set()).add(value)
        counts[model, metric] = counts.get((model, metric), 0) + 1
    varying = {model for (model, _), found in values.items() if len(found) > 1}
    return tuple(
        NeverComputed(model, metric, next(iter(found)), counts[model, metric])
        for (model, metric), found in values.items()
        if len(found) == 1 and counts[model, metric] > 1 and model in varying
    )


def without_never_computed(results: Results) -> Results:
    """The same results with such values missing, and that as the reason."""
    if not results.table.is_imported.any():
        return results
    given = [
        (item.model, name, measured.value)
        for item in results.returns
        if item.imported and not item.digest
        for name, measured in item.values.items()
        if measured.value is not None
    ]
    doubted = {(one.model, one.metric): one for one in never_computed(given)}
    if not doubted:
        return results
    return replace(results, returns=tuple(_without(item, doubted) for item in results.returns))


def _without(item: Return, doubted: dict[tuple[str, str], NeverComputed]) -> Return:
    def believed(measured: Measurement) -> Measurement:
        doubt = doubted.get((item.model, measured.metric))
        if doubt is None or not item.imported:
            return measured
        reason = f"never computed: the imported file says {doubt.value:g} throughout"
        return Measurement(measured.metric, measured.version, None, reason)

    return replace(item, values={name: believed(measured) for name, measured in item.values.items()})
