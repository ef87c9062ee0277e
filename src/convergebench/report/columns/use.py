"""The time and cost of the edits."""

from convergebench.analysis import Ranking
from convergebench.report.columns._column import ColumnValue, RankingColumn, Values
from convergebench.report.formatting import duration_places


def seconds_per_edit(ranking: Ranking) -> Values:
    return {
        row.model: ColumnValue(row.mean_seconds, places=duration_places(row.mean_seconds))
        for row in ranking.rows
    }


def costs(ranking: Ranking) -> Values:
    return {row.model: ColumnValue(row.cost_usd) for row in ranking.rows}


MEMBERS = (
    RankingColumn(
        "mean_seconds",
        heading="s/edit",
        explanation="Mean time of an edit in seconds",
        order=100,
        better="lower",
        views=("terminal", "text", "page", "csv"),
        csv={"mean_seconds": "value"},
        values=seconds_per_edit,
    ),
    RankingColumn(
        "cost_usd",
        heading="$",
        explanation="Cost in US dollars, failed attempts included",
        order=110,
        better="lower",
        views=("terminal", "text", "page", "csv"),
        csv={"cost_usd": "value"},
        values=costs,
    ),
)
