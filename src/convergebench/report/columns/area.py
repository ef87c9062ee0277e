"""The average preserved share of the picture over all rounds."""

from convergebench.analysis import Ranking
from convergebench.report.columns._column import TABLES, ColumnValue, RankingColumn, Values


def areas(ranking: Ranking) -> Values:
    return {row.model: ColumnValue.from_interval(row.auc) for row in ranking.rows}


MEMBERS = (
    RankingColumn(
        "auc",
        heading="AUC",
        explanation="Area under the curve, 1 to 0",
        order=40,
        better="higher",
        views=(*TABLES, "csv"),
        csv={"auc": "value"},
        values=areas,
    ),
)
