"""How one model's pictures decay: how long they last, in what shape, and whether they come to rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from convergebench.analysis.round_trip.area_under_curve import area_under_curve
from convergebench.analysis.round_trip.contraction import Contraction, contraction
from convergebench.analysis.round_trip.convergence_score import ConvergenceScore, scores
from convergebench.analysis.round_trip.curve_shape import CurveShape, curve_shape
from convergebench.analysis.round_trip.forward_success import ForwardSuccess, forward_success
from convergebench.analysis.round_trip.half_life import THRESHOLD, HalfLife, half_life
from convergebench.analysis.round_trip.results import Results
from convergebench.analysis.round_trip.share_matrix import share_matrices
from convergebench.analysis.statistics.clustered_mean import Interval


@dataclass(frozen=True)
class ModelProfile:
    model: str
    half_life: HalfLife | None
    auc: Interval | None
    shape: CurveShape
    contraction: Contraction
    forward: ForwardSuccess
    score: ConvergenceScore


def model_profiles(
    results: Results, models: Sequence[str], metric: str = "ssim", threshold: float = THRESHOLD
) -> list[ModelProfile]:
    """The convergence by one metric of those models that have returns."""
    known = share_matrices(results, metric)
    return [_profile(results, model, metric, threshold) for model in models if model in known]


def _profile(results: Results, model: str, metric: str, threshold: float) -> ModelProfile:
    of_models = share_matrices(results, metric)
    return ModelProfile(
        model=model,
        half_life=half_life(of_models[model], threshold),
        auc=area_under_curve(of_models[model]),
        shape=curve_shape(of_models[model]),
        contraction=contraction(results, model, metric),
        forward=forward_success(results)[model],
        score=scores(results)[model],
    )
