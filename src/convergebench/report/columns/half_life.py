"""The number of rounds that half of the chains survive."""

from convergebench.analysis import HalfLife, Ranking
from convergebench.report.columns._column import TABLES, ColumnValue, RankingColumn, Values


def half_lives(ranking: Ranking) -> Values:
    return {row.model: half_life_value(row.half_life) for row in ranking.rows if row.half_life}


def half_life_value(life: HalfLife) -> ColumnValue:
    return ColumnValue(
        life.median,
        life.low,
        life.high,
        limit=life.watched,
        note=f"{life.fell} of {life.n} trajectories fell below {100 * life.threshold:.0f} %",
    )


MEMBERS = (
    RankingColumn(
        "half_life",
        heading="half-life",
        explanation="Rounds until less than half of the picture is left: Kaplan–Meier median",
        order=30,
        better="higher",
        places=1,
        views=(*TABLES, "csv"),
        intervals=("paper",),
        csv={"half_life": "value"},
        values=half_lives,
    ),
)
