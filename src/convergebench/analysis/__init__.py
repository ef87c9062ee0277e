"""From returns to numbers: pure functions of Results."""

from convergebench.analysis.auc import area_under_curve, areas
from convergebench.analysis.audit import Finding, audit
from convergebench.analysis.breakdown import Breakdown, Part, breakdown
from convergebench.analysis.chains import Chains, chains
from convergebench.analysis.comparing import compared, compared_by
from convergebench.analysis.contraction import Contraction, contraction
from convergebench.analysis.curves import Curve, CurvePoint, degradation_curves
from convergebench.analysis.evidence import Evidence, collect
from convergebench.analysis.forward import ForwardSuccess, forward_success
from convergebench.analysis.gaps import RETURN, Gap, gaps, planned_trajectories, reading
from convergebench.analysis.gather import gather, gather_as_given
from convergebench.analysis.grouping import groups
from convergebench.analysis.half_life import HalfLife, half_life
from convergebench.analysis.marks import MARKS, AtMarks, at_marks
from convergebench.analysis.pairing import PairedDifference, paired_areas, paired_difference
from convergebench.analysis.preserved import has_scale, preserved, shortfall
from convergebench.analysis.profile import Profile, profile
from convergebench.analysis.ranking import Ranking, RankingRow, ranking, rankings
from convergebench.analysis.results import Edits, ModelUse, Results, Return, Role, Trouble
from convergebench.analysis.score import Score, gated_order, scores
from convergebench.analysis.shape import CurveShape, curve_shape
from convergebench.analysis.shared import SharedCases, of_part, on_shared_cases
from convergebench.analysis.statistics import Interval, clustered_mean, clustered_standard_error
from convergebench.analysis.summary import Summary, summarise
from convergebench.analysis.worst import WorstCase, worst_cases

__all__ = [
    "MARKS",
    "RETURN",
    "AtMarks",
    "Breakdown",
    "Chains",
    "Contraction",
    "Curve",
    "CurvePoint",
    "CurveShape",
    "Edits",
    "Evidence",
    "Finding",
    "ForwardSuccess",
    "Gap",
    "HalfLife",
    "Interval",
    "ModelUse",
    "PairedDifference",
    "Part",
    "Profile",
    "Ranking",
    "RankingRow",
    "Results",
    "Return",
    "Role",
    "Score",
    "SharedCases",
    "Summary",
    "Trouble",
    "WorstCase",
    "area_under_curve",
    "areas",
    "at_marks",
    "audit",
    "breakdown",
    "chains",
    "clustered_mean",
    "clustered_standard_error",
    "collect",
    "compared",
    "compared_by",
    "contraction",
    "curve_shape",
    "degradation_curves",
    "forward_success",
    "gaps",
    "gated_order",
    "gather",
    "gather_as_given",
    "groups",
    "half_life",
    "has_scale",
    "of_part",
    "on_shared_cases",
    "paired_areas",
    "paired_difference",
    "planned_trajectories",
    "preserved",
    "profile",
    "ranking",
    "rankings",
    "reading",
    "scores",
    "shortfall",
    "summarise",
    "worst_cases",
]
