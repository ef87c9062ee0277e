"""The ranking as a table for the terminal, and as JSON."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from convergebench.analysis import Ranking, RankingRow, Summary
from convergebench.report._wording import ABSENT, decimals, duration, mean_with_interval, metric_title, number
from convergebench.report.notes import ranking_notes
from convergebench.types import MetricFacts

if TYPE_CHECKING:
    from rich.table import Table


def ranking_table(ranking: Ranking) -> Table:
    """A table that fits 100 columns, floors below a line; print ranking_notes(ranking) under it."""
    from rich import box
    from rich.table import Table

    table = Table(
        title=f"{ranking.suite}, round {ranking.round}",
        title_justify="left",
        title_style="bold",
        box=box.HORIZONTALS,
        padding=(0, 1, 0, 0),
        show_edge=False,
    )
    table.add_column("#", justify="right", no_wrap=True)
    table.add_column("model", overflow="fold", min_width=8)
    table.add_column(f"{metric_title(ranking.metric)} @ R{ranking.round}", no_wrap=True)
    for facts in _others(ranking):
        table.add_column(metric_title(facts).replace("-", "\n"), justify="right", no_wrap=True)
    for heading in ("n", "missing", "s/edit", "$"):
        table.add_column(heading, justify="right", no_wrap=True)
    for row, following in zip(ranking.rows, (*ranking.rows[1:], None), strict=True):
        is_last_above_floors = following is not None and row.role != "floor" and following.role == "floor"
        style = "dim" if row.role == "floor" else ""
        table.add_row(*_cells(ranking, row), style=style, end_section=is_last_above_floors)
    return table


def ranking_cells(ranking: Ranking) -> list[list[str]]:
    """The table's text: a heading, then a row a model."""
    heading = ["#", "model", f"{metric_title(ranking.metric)} @ R{ranking.round}"]
    heading += [metric_title(facts) for facts in _others(ranking)]
    return [[*heading, "n", "missing", "s/edit", "$"], *(_cells(ranking, row) for row in ranking.rows)]


def json_ranking(ranking: Ranking) -> dict[str, Any]:
    """The ranking for json.dumps: infinite values are the string "inf", missing ones null with a reason."""
    return {
        "suite": ranking.suite,
        "round": ranking.round,
        "ranked_by": ranking.metric.name,
        "better": ranking.metric.better,
        "shared_cases": ranking.shared_cases,
        "unequal_cases": ranking.unequal_cases,
        "rows": [_json_row(row) for row in ranking.rows],
        "notes": list(ranking_notes(ranking)),
    }


def _others(ranking: Ranking) -> list[MetricFacts]:
    return [facts for facts in ranking.metrics if facts != ranking.metric]


def _cells(ranking: Ranking, row: RankingRow) -> list[str]:
    chief = row.metrics[ranking.metric.name]
    return [
        ABSENT if row.rank is None else str(row.rank),
        row.model,
        mean_with_interval(chief.mean, chief.low, chief.high, ranking.metric),
        *(number(row.metrics[facts.name].mean, decimals(facts)) for facts in _others(ranking)),
        str(row.n),
        str(row.missing),
        duration(row.mean_seconds),
        number(row.cost_usd, 2),
    ]


def _json_row(row: RankingRow) -> dict[str, Any]:
    return {
        "rank": row.rank,
        "model": row.model,
        "role": row.role,
        "n": row.n,
        "missing": row.missing,
        "metrics": {name: _json_summary(summary) for name, summary in row.metrics.items()},
        "mean_seconds": row.mean_seconds,
        "cost_usd": row.cost_usd,
        "failures": dict(row.failures),
    }


def _json_summary(summary: Summary) -> dict[str, Any]:
    return {
        "mean": _json_number(summary.mean),
        "low": summary.low,
        "high": summary.high,
        "n": summary.n,
        "clusters": summary.finite.clusters if summary.finite else None,
        "infinite": summary.perfect,
        "missing": summary.missing,
        "missing_reason": summary.reason,
    }


def _json_number(value: float | None) -> float | str | None:
    return "inf" if value is not None and math.isinf(value) else value
