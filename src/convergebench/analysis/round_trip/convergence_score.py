"""The convergence score: one number from 0 to 100, and its two dimensions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from convergebench.analysis.round_trip.area_under_curve import mean_of_rows, segments
from convergebench.analysis.round_trip.forward_success import ForwardTest, edits_happened, forward_test
from convergebench.analysis.round_trip.results import Results
from convergebench.analysis.round_trip.share_matrix import ShareMatrix, share_matrices
from convergebench.analysis.statistics.clustered_mean import Interval

Dimension: TypeAlias = Literal["quality", "semantic"]

METRICS: dict[Dimension, tuple[str, ...]] = {"quality": ("ssim", "lpips"), "semantic": ("clip",)}
"""Structure and perception are different halves of quality; other metrics would count one of them twice."""

SCORED = tuple(name for names in METRICS.values() for name in names)


@dataclass(frozen=True)
class ConvergenceScore:
    """A model's score with its intervals, clustered by source picture; None is missing, never zero."""

    together: Interval | None
    quality: Interval | None
    semantic: Interval | None
    gated: Interval | None
    """The same as `together`, where rounds whose forward edit did not happen earn nothing."""
    gated_by: str | None
    """The criterion for a forward edit that happened."""
    metrics: tuple[str, ...]
    """The metrics used."""
    missing: tuple[str, ...]
    """Metrics of the definition that have no values."""


def scores(results: Results) -> dict[str, ConvergenceScore]:
    """The score of every model with returns; all by the metrics that all of these models have."""
    known = {facts.name for facts in results.metrics}
    by_metric = {name: share_matrices(results, name) for name in SCORED if name in known}
    finished = {model for models in by_metric.values() for model, one in models.items() if _has_area(one)}
    used = tuple(
        name
        for name, models in by_metric.items()
        if finished and all(_has_area(models[model]) for model in finished)
    )
    missing = tuple(name for name in SCORED if name not in used)
    models = next(iter(by_metric.values()), {})
    test = forward_test(results)
    return {
        model: _score(results, {name: by_metric[name][model] for name in used}, missing, test)
        for model in models
    }


def gated_order(results: Results) -> tuple[str, ...]:
    """All models with a gated score, including floors, best first; a model that does nothing is last."""
    points = {model: score.gated.mean for model, score in scores(results).items() if score.gated is not None}
    return tuple(sorted(points, key=lambda model: -points[model]))


def _has_area(one: ShareMatrix) -> bool:
    return not np.isnan(one.bridged[:, -1]).all()


def _score(
    results: Results, of_model: dict[str, ShareMatrix], missing: tuple[str, ...], test: ForwardTest | None
) -> ConvergenceScore:
    if not of_model:
        return ConvergenceScore(None, None, None, None, None, (), missing)
    first = next(iter(of_model.values()))
    happened = edits_happened(results, first, test)
    plain = _dimensions(of_model, np.ones(happened.shape))
    gated = _together(_dimensions(of_model, happened))
    pictures = first.pictures
    return ConvergenceScore(
        together=_points(_together(plain), pictures),
        quality=_points(plain.get("quality"), pictures),
        semantic=_points(plain.get("semantic"), pictures),
        gated=_points(gated, pictures),
        gated_by=test.says if test and not np.isnan(happened).all() else None,
        metrics=tuple(of_model),
        missing=missing,
    )


def _dimensions(
    of_model: dict[str, ShareMatrix], happened: NDArray[np.float64]
) -> dict[Dimension, NDArray[np.float64]]:
    """For each dimension that has a metric: each trajectory's mean area over its metrics."""
    return {
        dimension: np.mean([_gated_areas(of_model[name], happened) for name in names], axis=0)
        for dimension, wanted in METRICS.items()
        if (names := [name for name in wanted if name in of_model])
    }


def _gated_areas(one: ShareMatrix, happened: NDArray[np.float64]) -> NDArray[np.float64]:
    """The area over the rounds that are known to have had their edit or not, counting only the former."""
    known = ~np.isnan(happened)
    counts = known.sum(axis=1)
    counted = np.where(known, segments(one) * np.nan_to_num(happened), 0.0).sum(axis=1)
    # A trajectory that did not reach the last round has no area, gated or not.
    whole = (counts > 0) & ~np.isnan(one.bridged[:, -1])
    return np.where(whole, counted / np.maximum(counts, 1), np.nan)


def _together(dimensions: dict[Dimension, NDArray[np.float64]]) -> NDArray[np.float64]:
    """The geometric mean: a loss in one dimension cannot be compensated in the other."""
    product: NDArray[np.float64] = np.prod(list(dimensions.values()), axis=0)
    return product ** (1 / len(dimensions))


def _points(shares: NDArray[np.float64] | None, pictures: tuple[str, ...]) -> Interval | None:
    return None if shares is None else mean_of_rows(100 * shares, pictures, most=100.0)
