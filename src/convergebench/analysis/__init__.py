"""From returns to numbers: pure functions of Results."""

from convergebench.analysis.breakdown import Breakdown, breakdown
from convergebench.analysis.curves import Curve, CurvePoint, degradation_curves
from convergebench.analysis.gaps import RETURN, Gap, gaps, planned_trajectories, reading
from convergebench.analysis.gather import gather
from convergebench.analysis.ranking import Ranking, RankingRow, ranking
from convergebench.analysis.results import ModelUse, Results, Return, Role, Trouble
from convergebench.analysis.statistics import Interval, cluster_bootstrap_mean, clustered_standard_error
from convergebench.analysis.summary import Summary, summarise

__all__ = [
    "RETURN",
    "Breakdown",
    "Curve",
    "CurvePoint",
    "Gap",
    "Interval",
    "ModelUse",
    "Ranking",
    "RankingRow",
    "Results",
    "Return",
    "Role",
    "Summary",
    "Trouble",
    "breakdown",
    "cluster_bootstrap_mean",
    "clustered_standard_error",
    "degradation_curves",
    "gaps",
    "gather",
    "planned_trajectories",
    "ranking",
    "reading",
    "summarise",
]
