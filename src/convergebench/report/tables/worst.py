"""The worst cases as a table, JSON and CSV."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from convergebench.analysis import Results, WorstCase, missing_values
from convergebench.json_numbers import json_number
from convergebench.report.export.csv_files import Row
from convergebench.report.formatting import ABSENT, decimals, metric_title, number
from convergebench.report.tables.ranking_notes import missing_returns
from convergebench.report.tables.terminal_table import terminal_table
from convergebench.types import MetricFacts

if TYPE_CHECKING:
    from rich.table import Table

_FIELDS = ("model", "case", "picture", "pair", "kind", "category", "seed", "round", "digest")


def worst_table(cases: Sequence[WorstCase], metric: MetricFacts) -> Table:
    """Worst first; fits 100 columns."""
    table = terminal_table()
    table.add_column("model", overflow="fold")
    table.add_column("case", overflow="fold")
    table.add_column("seed", justify="right", no_wrap=True)
    table.add_column(metric_title(metric), justify="right", no_wrap=True)
    table.add_column("fell at", justify="right", no_wrap=True)
    table.add_column("picture", no_wrap=True)
    for one in cases:
        table.add_row(
            one.returned.model,
            one.returned.case,
            str(one.returned.seed),
            number(one.value, decimals(metric)),
            number(one.fell_at, 1),
            one.returned.digest[:12] or ABSENT,
        )
    return table


def worst_notes(
    cases: Sequence[WorstCase], results: Results, metric: str, round: int | None, models: Sequence[str]
) -> Iterator[str]:
    """Why there is nothing to show, and the returns that cannot be in the table since they were not made."""
    number = results.round_or_last(round)
    roles = results.roles()
    wanted = set(models or (model for model, role in roles.items() if role != "floor"))
    if not wanted:
        yield f"Only floors were run; name one with --model to list its cases: {', '.join(roles)}."
    elif not cases:
        title = metric_title(results.facts(metric))
        yield f"No case of {', '.join(sorted(wanted))} has a value of {title} at round {number}."
    yield from missing_returns(
        gap for gap in missing_values(results) if gap.round == number and gap.model in wanted
    )


def json_worst(cases: Sequence[WorstCase]) -> list[dict[str, Any]]:
    """For json.dumps."""
    return [
        {
            **{name: getattr(one.returned, name) for name in _FIELDS},
            "value": json_number(one.value),
            "fell_at": one.fell_at,
        }
        for one in cases
    ]


def csv_worst(cases: Sequence[WorstCase]) -> list[Row]:
    """A heading, then a row a case."""
    rows: list[Row] = [(*_FIELDS, "value", "fell_at")]
    for one in cases:
        rows.append((*(getattr(one.returned, name) for name in _FIELDS), one.value, one.fell_at))
    return rows
