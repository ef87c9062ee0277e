"""The convergence score, and the one that counts only rounds whose forward edit happened.

Their headings do not say score: that is the headline's, which ranks.
"""

from convergebench.analysis import Ranking
from convergebench.report.columns._column import TABLES, ColumnValue, RankingColumn, Values, Views


def _plain_views(ranking: Ranking) -> Views:
    """Terminal and text show one of the two scores."""
    return ("paper", "page", "csv") if ranking.is_gated else (*TABLES, "csv")


def _gated_views(ranking: Ranking) -> Views:
    return (*TABLES, "csv") if ranking.is_gated else ("paper", "csv")


def scores(ranking: Ranking) -> Values:
    return {
        row.model: ColumnValue.from_interval(row.convergence.together)
        for row in ranking.rows
        if row.convergence
    }


def gated_scores(ranking: Ranking) -> Values:
    return {
        row.model: ColumnValue.from_interval(row.convergence.gated) for row in ranking.rows if row.convergence
    }


MEMBERS = (
    RankingColumn(
        "convergence_score",
        heading="convergence score",
        explanation="Convergence score, 0 to 100: quality and semantics over all rounds",
        order=50,
        better="higher",
        places=1,
        views=_plain_views,
        csv={"convergence_score": "value"},
        values=scores,
    ),
    RankingColumn(
        "gated_convergence_score",
        heading="gated convergence",
        explanation="Convergence score in which rounds whose forward edit did not happen earn nothing",
        order=60,
        better="higher",
        places=1,
        views=_gated_views,
        csv={"gated_convergence_score": "value"},
        values=gated_scores,
    ),
)
