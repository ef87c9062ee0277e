"""The number of values and missing values of the ranking metric, and the kind of edits."""

from convergebench.analysis import Ranking
from convergebench.report.columns._column import TABLES, ColumnValue, RankingColumn, Values


def value_counts(ranking: Ranking) -> Values:
    return {row.model: ColumnValue(row.n) for row in ranking.rows}


def missing_counts(ranking: Ranking) -> Values:
    return {row.model: ColumnValue(row.missing, is_warning=row.missing > 0) for row in ranking.rows}


def kinds_of_edits(ranking: Ranking) -> Values:
    return {row.model: ColumnValue(text=ranking.edits) for row in ranking.rows}


MEMBERS = (
    RankingColumn(
        "n",
        heading="n",
        explanation="Returns with a value of the ranking metric",
        order=80,
        places=0,
        views=(*TABLES, "csv"),
        csv={"n": "value"},
        values=value_counts,
    ),
    RankingColumn(
        "missing",
        heading="missing",
        explanation="Planned returns without a value of the ranking metric",
        order=90,
        places=0,
        views=(*TABLES, "csv"),
        csv={"missing": "value"},
        values=missing_counts,
    ),
    RankingColumn(
        "edits",
        heading="edits",
        explanation="Whether the edits can be undone for certain, or only in part",
        order=120,
        is_words=True,
        views=("csv",),
        values=kinds_of_edits,
    ),
)
