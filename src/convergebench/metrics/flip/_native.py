"""ꟻLIP by the loops in C."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from convergebench import kernels
from convergebench.kernels import FLIP_REACH, FlipParameters
from convergebench.metrics.flip._model import FlipModel, model_for

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from convergebench.types import Pixels


def features(pixels: Pixels, pixels_per_degree: float) -> NDArray[np.float32]:
    return kernels.flip_features(pixels, _parameters(pixels_per_degree))


def difference_of_features(
    one: NDArray[np.float32], other: NDArray[np.float32], pixels_per_degree: float
) -> NDArray[np.float32]:
    return kernels.flip_difference(one, other, _parameters(pixels_per_degree))


def difference(kept: NDArray[np.float32], pixels: Pixels, pixels_per_degree: float) -> NDArray[np.float32]:
    return kernels.flip_map(kept, pixels, _parameters(pixels_per_degree))


@lru_cache(maxsize=16)
def _parameters(pixels_per_degree: float) -> FlipParameters:
    model = model_for(pixels_per_degree)
    constants = [
        model.linear,
        *(matrix.ravel() for matrix in (model.to_opponent, model.to_rgb, model.to_xyz)),
        np.array([1 / model.largest_distance, model.exponent, math.log2(model.below)]),
        _upper_part(model),
    ]
    filters = model.filters
    halves = (
        filters.red_green, *filters.blue_yellow, filters.luminance,
        filters.smooth, filters.edge, filters.point,
    )  # fmt: skip
    weights = np.zeros((len(halves), FLIP_REACH + 1), np.float32)
    for row, half in zip(weights, halves, strict=True):
        row[: len(half)] = half
    reaches = [max(1, len(half) - 1) for half in halves]
    return FlipParameters(np.concatenate(constants).astype(np.float32), weights, np.array(reaches, np.int64))


def _upper_part(model: FlipModel) -> NDArray[np.float64]:
    """For colour differences beyond the knee: −log₂(above · 2^−t + offset) as a polynomial from t¹ on.

    It is within 4e-7, and saves a logarithm and a power at every pixel.
    """
    knee = math.log2((model.below - model.above) / model.offset)
    t = knee * (0.5 - 0.5 * np.cos(np.pi * (np.arange(256) + 0.5) / 256))
    powers = t[:, None] ** np.arange(1, 5)
    return np.linalg.lstsq(powers, -np.log2(model.above * 2**-t + model.offset))[0].astype(np.float64)
