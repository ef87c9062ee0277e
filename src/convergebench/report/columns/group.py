"""Which models do not differ significantly."""

from convergebench.analysis import Ranking
from convergebench.report.columns._column import TABLES, ColumnValue, RankingColumn, Values


def groups(ranking: Ranking) -> Values:
    return {row.model: ColumnValue(text=row.group) for row in ranking.rows if row.group}


MEMBERS = (
    RankingColumn(
        "group",
        heading="group",
        explanation="Models that share a letter cannot be told apart",
        order=20,
        views=(*TABLES, "csv"),
        in_headline=True,
        csv={"group": "value"},
        values=groups,
    ),
)
