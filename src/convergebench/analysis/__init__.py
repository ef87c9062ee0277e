"""From returns to numbers: pure functions of Results."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from convergebench.analysis.headline.headline_ranking import headline_ranking, headline_rankings
    from convergebench.analysis.headline.median_chain import ChainKey, median_chains
    from convergebench.analysis.headline.model_differences import model_differences
    from convergebench.analysis.headline.ranking_parts import ranking_by_part, ranking_by_round
    from convergebench.analysis.headline.sentence import headline_sentence
    from convergebench.analysis.headline.worst_seen import worst_by
    from convergebench.analysis.round_trip.area_under_curve import area_under_curve, areas
    from convergebench.analysis.round_trip.audit import AuditFinding, audit
    from convergebench.analysis.round_trip.breakdown import Breakdown, Part, breakdown
    from convergebench.analysis.round_trip.common_cases import SharedCases, of_part, on_shared_cases
    from convergebench.analysis.round_trip.compare_models import compare_models, compare_models_by
    from convergebench.analysis.round_trip.contraction import Contraction, contraction
    from convergebench.analysis.round_trip.convergence_score import ConvergenceScore, gated_order, scores
    from convergebench.analysis.round_trip.curve_shape import CurveShape, curve_shape
    from convergebench.analysis.round_trip.degradation_curves import Curve, CurvePoint, degradation_curves
    from convergebench.analysis.round_trip.forward_success import ForwardSuccess, forward_success
    from convergebench.analysis.round_trip.half_life import HalfLife, half_life
    from convergebench.analysis.round_trip.headline_rounds import HeadlineRounds, headline_rounds
    from convergebench.analysis.round_trip.metric_summary import MetricSummary, summarise
    from convergebench.analysis.round_trip.missing_values import (
        RETURN,
        MissingValue,
        missing_values,
        planned_trajectories,
        reading,
    )
    from convergebench.analysis.round_trip.model_profile import ModelProfile, model_profiles
    from convergebench.analysis.round_trip.paired_difference import (
        PairedDifference,
        paired_areas,
        paired_difference,
    )
    from convergebench.analysis.round_trip.preserved_scale import has_scale, preserved, shortfall
    from convergebench.analysis.round_trip.ranking import Ranking, RankingRow, ranking, rankings, reordered
    from convergebench.analysis.round_trip.reported_rounds import HEADLINE_ROUNDS
    from convergebench.analysis.round_trip.results import Edits, FailedStep, ModelUse, Results, Return, Role
    from convergebench.analysis.round_trip.share_matrix import ShareMatrix, share_matrices
    from convergebench.analysis.round_trip.worst_cases import WorstCase, worst_cases
    from convergebench.analysis.statistics.clustered_mean import (
        Interval,
        clustered_mean,
        clustered_standard_error,
    )
    from convergebench.analysis.statistics.significance_letters import significance_letters

__all__ = [
    "HEADLINE_ROUNDS",
    "RETURN",
    "AuditFinding",
    "Breakdown",
    "ChainKey",
    "Contraction",
    "ConvergenceScore",
    "Curve",
    "CurvePoint",
    "CurveShape",
    "Edits",
    "FailedStep",
    "ForwardSuccess",
    "HalfLife",
    "HeadlineRounds",
    "Interval",
    "MetricSummary",
    "MissingValue",
    "ModelProfile",
    "ModelUse",
    "PairedDifference",
    "Part",
    "Ranking",
    "RankingRow",
    "Results",
    "Return",
    "Role",
    "ShareMatrix",
    "SharedCases",
    "WorstCase",
    "area_under_curve",
    "areas",
    "audit",
    "breakdown",
    "clustered_mean",
    "clustered_standard_error",
    "compare_models",
    "compare_models_by",
    "contraction",
    "curve_shape",
    "degradation_curves",
    "forward_success",
    "gated_order",
    "half_life",
    "has_scale",
    "headline_ranking",
    "headline_rankings",
    "headline_rounds",
    "headline_sentence",
    "median_chains",
    "missing_values",
    "model_differences",
    "model_profiles",
    "of_part",
    "on_shared_cases",
    "paired_areas",
    "paired_difference",
    "planned_trajectories",
    "preserved",
    "ranking",
    "ranking_by_part",
    "ranking_by_round",
    "rankings",
    "reading",
    "reordered",
    "scores",
    "share_matrices",
    "shortfall",
    "significance_letters",
    "summarise",
    "worst_by",
    "worst_cases",
]

_HOMES = {
    name: home
    for home, names in {
        "headline.headline_ranking": ("headline_ranking", "headline_rankings"),
        "headline.median_chain": ("ChainKey", "median_chains"),
        "headline.model_differences": ("model_differences",),
        "headline.ranking_parts": ("ranking_by_part", "ranking_by_round"),
        "headline.sentence": ("headline_sentence",),
        "headline.worst_seen": ("worst_by",),
        "round_trip.area_under_curve": ("area_under_curve", "areas"),
        "round_trip.audit": ("AuditFinding", "audit"),
        "round_trip.breakdown": ("Breakdown", "Part", "breakdown"),
        "round_trip.common_cases": ("SharedCases", "of_part", "on_shared_cases"),
        "round_trip.compare_models": ("compare_models", "compare_models_by"),
        "round_trip.contraction": ("Contraction", "contraction"),
        "round_trip.convergence_score": ("ConvergenceScore", "gated_order", "scores"),
        "round_trip.curve_shape": ("CurveShape", "curve_shape"),
        "round_trip.degradation_curves": ("Curve", "CurvePoint", "degradation_curves"),
        "round_trip.forward_success": ("ForwardSuccess", "forward_success"),
        "round_trip.half_life": ("HalfLife", "half_life"),
        "round_trip.headline_rounds": ("HeadlineRounds", "headline_rounds"),
        "round_trip.metric_summary": ("MetricSummary", "summarise"),
        "round_trip.missing_values": (
            "RETURN",
            "MissingValue",
            "missing_values",
            "planned_trajectories",
            "reading",
        ),
        "round_trip.model_profile": ("ModelProfile", "model_profiles"),
        "round_trip.paired_difference": ("PairedDifference", "paired_areas", "paired_difference"),
        "round_trip.preserved_scale": ("has_scale", "preserved", "shortfall"),
        "round_trip.ranking": ("Ranking", "RankingRow", "ranking", "rankings", "reordered"),
        "round_trip.reported_rounds": ("HEADLINE_ROUNDS",),
        "round_trip.results": ("Edits", "FailedStep", "ModelUse", "Results", "Return", "Role"),
        "round_trip.share_matrix": ("ShareMatrix", "share_matrices"),
        "round_trip.worst_cases": ("WorstCase", "worst_cases"),
        "statistics.clustered_mean": ("Interval", "clustered_mean", "clustered_standard_error"),
        "statistics.significance_letters": ("significance_letters",),
    }.items()
    for name in names
}


def __getattr__(name: str) -> Any:
    """Names are imported when they are first used, so that a command loads only what it needs."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = found
    return found
