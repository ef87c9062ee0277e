"""The worst cases as a table, JSON and CSV."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from convergebench.analysis import Results, WorstCase, missing_values
from convergebench.json_numbers import json_number
from convergebench.metrics.flip import WorstBox
from convergebench.report.export.csv_files import Row
from convergebench.report.formatting import ABSENT, decimals, metric_title, number
from convergebench.report.tables.ranking_notes import missing_returns
from convergebench.report.tables.terminal_table import fitting_table, terminal_table
from convergebench.results.worst_regions import WorstRegions
from convergebench.types import MetricFacts

if TYPE_CHECKING:
    from rich.table import Table

_FIELDS = ("model", "case", "picture", "pair", "kind", "category", "seed", "round", "digest")
_BOX_FIELDS = tuple(f"worst_{name}" for name in WorstBox._fields)
_NO_REGIONS: WorstRegions = {}


def worst_table(
    cases: Sequence[WorstCase],
    metric: MetricFacts,
    regions: WorstRegions = _NO_REGIONS,
    width: int | None = None,
) -> Table:
    """Worst first, in the width if one is given. The worst region is shown if any case has one."""
    return fitting_table(partial(_table, cases, metric, regions), ("picture", "worst region", "seed"), width)


def _table(
    cases: Sequence[WorstCase], metric: MetricFacts, regions: WorstRegions, omitted: Collection[str]
) -> Table:
    boxes = [] if "worst region" in omitted else [_box(one, regions) for one in cases]
    table = terminal_table()
    for heading in ("model", "case", "seed", metric_title(metric), "fell at", "picture", "worst region"):
        if heading not in omitted and (heading != "worst region" or any(boxes)):
            is_name = heading in ("model", "case")
            is_number = heading in ("seed", metric_title(metric), "fell at")
            table.add_column(
                heading, overflow="fold", no_wrap=not is_name, justify="right" if is_number else "left"
            )
    for place, one in enumerate(cases):
        cells = {
            "model": one.returned.model,
            "case": one.returned.case,
            "seed": str(one.returned.seed),
            metric_title(metric): number(one.value, decimals(metric)),
            "fell at": number(one.fell_at, 1),
            "picture": one.returned.digest[:12] or ABSENT,
            "worst region": _box_cell(boxes[place]) if any(boxes) else ABSENT,
        }
        table.add_row(*(cells[str(column.header)] for column in table.columns))
    return table


def _box_cell(box: WorstBox | None) -> str:
    return box_text(box) if box else ABSENT


def box_text(box: WorstBox) -> str:
    """Such as "128 × 128 at 104, 0"."""
    return f"{box.width} × {box.height} at {box.left}, {box.top}"


def _box(case: WorstCase, regions: WorstRegions) -> WorstBox | None:
    region = regions.get((case.returned.case, case.returned.digest))
    return region.box if region else None


def worst_notes(
    cases: Sequence[WorstCase],
    results: Results,
    metric: MetricFacts,
    round: int | None,
    models: Sequence[str],
) -> Iterator[str]:
    """The reason for an empty table, and the returns that are not in it because they do not exist."""
    number = results.round_or_last(round)
    roles = results.roles()
    wanted = set(models or (model for model, role in roles.items() if role != "floor"))
    if not wanted:
        yield f"Only floors were run; name one with --model to list its cases: {', '.join(roles)}."
    elif not cases:
        title = metric_title(metric)
        yield f"No case of {', '.join(sorted(wanted))} has a value of {title} at round {number}."
    yield from missing_returns(gap for gap in missing_values(results, number) if gap.model in wanted)


def json_worst(cases: Sequence[WorstCase], regions: WorstRegions = _NO_REGIONS) -> list[dict[str, Any]]:
    """For json.dumps."""
    return [
        {
            **{name: getattr(one.returned, name) for name in _FIELDS},
            "value": json_number(one.value),
            "fell_at": one.fell_at,
            "worst_region": box._asdict() if (box := _box(one, regions)) else None,
        }
        for one in cases
    ]


def csv_worst(cases: Sequence[WorstCase], regions: WorstRegions = _NO_REGIONS) -> list[Row]:
    """A heading, then one row per case."""
    rows: list[Row] = [(*_FIELDS, "value", "fell_at", *_BOX_FIELDS)]
    for one in cases:
        box = _box(one, regions) or (None,) * len(_BOX_FIELDS)
        rows.append((*(getattr(one.returned, name) for name in _FIELDS), one.value, one.fell_at, *box))
    return rows
