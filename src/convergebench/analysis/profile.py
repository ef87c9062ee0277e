"""How one model's pictures decay: how long they last, in what shape, and whether they come to rest."""

from __future__ import annotations

from dataclasses import dataclass

from convergebench.analysis.auc import area_under_curve
from convergebench.analysis.chains import chains
from convergebench.analysis.contraction import Contraction, contraction
from convergebench.analysis.forward import ForwardSuccess, forward_success
from convergebench.analysis.half_life import THRESHOLD, HalfLife, half_life
from convergebench.analysis.results import Results
from convergebench.analysis.score import Score, scores
from convergebench.analysis.shape import CurveShape, curve_shape
from convergebench.analysis.statistics import Interval
from convergebench.errors import WrongUse


@dataclass(frozen=True)
class Profile:
    model: str
    half_life: HalfLife | None
    auc: Interval | None
    shape: CurveShape
    contraction: Contraction
    forward: ForwardSuccess
    score: Score


def profile(results: Results, model: str, metric: str = "ssim", threshold: float = THRESHOLD) -> Profile:
    """All that is known of a model's convergence by one metric."""
    of_models = chains(results, metric)
    if model not in of_models:
        known = ", ".join(of_models)
        raise WrongUse(f"there are no returns of {model} in these results; choose from: {known}")
    return Profile(
        model=model,
        half_life=half_life(of_models[model], threshold),
        auc=area_under_curve(of_models[model]),
        shape=curve_shape(of_models[model]),
        contraction=contraction(results, model, metric),
        forward=forward_success(results)[model],
        score=scores(results)[model],
    )
