"""ꟻLIP in its form for GPUs, run on torch's CPU device and held against the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from skimage import data

from convergebench.metrics._gpu.flip import flip_features, flip_maps, flip_readings, smoothed_maps
from convergebench.metrics.flip import (
    PIXELS_PER_DEGREE,
    flip_area,
    flip_map,
    flip_mean,
    flip_peak,
    flip_source,
    smoothed,
)
from convergebench.types import Pixels
from flip_pairs import worn
from late_import import torch

Make = Callable[..., Pixels]


def batch(pictures: Sequence[Pixels]) -> torch.Tensor:
    return torch.from_numpy(np.stack(pictures))


@pytest.mark.parametrize("ppd", [PIXELS_PER_DEGREE, 16.0, 120.0])
def test_a_batch_gives_the_maps_and_numbers_of_single_pictures(ppd: float) -> None:
    source = np.ascontiguousarray(data.astronaut()[50:250, 100:400])
    results = list(worn(source).values())
    kept = flip_features(batch([source]), ppd).expand(len(results), -1, -1, -1)
    maps = flip_maps(kept, flip_features(batch(results), ppd))
    readings = flip_readings(maps)
    prepared = flip_source(source, ppd)
    for place, result in enumerate(results):
        alone = flip_map(prepared, result)
        smooth = smoothed(alone)
        assert np.abs(maps[place].numpy() - alone).max() <= 1e-3
        assert np.abs(smoothed_maps(maps)[place].numpy() - smooth).max() <= 1e-3
        assert float(readings.mean[place]) == pytest.approx(flip_mean(alone), abs=1e-4)
        assert float(readings.peak[place]) == pytest.approx(flip_peak(smooth), abs=1e-4)
        assert float(readings.area[place]) == pytest.approx(flip_area(smooth), abs=1e-3)


@pytest.mark.parametrize("size", [(1, 1), (1, 40), (40, 1), (8, 8), (33, 130)])
def test_small_and_narrow_pictures_measure_the_same(
    size: tuple[int, int], textured: Make, noisy: Make
) -> None:
    source = textured(*size)
    result = noisy(source, 30)
    maps = flip_maps(flip_features(batch([source])), flip_features(batch([result])))
    assert np.abs(maps[0].numpy() - flip_map(flip_source(source), result)).max() <= 1e-3


def test_a_picture_does_not_differ_from_itself(textured: Make) -> None:
    features = flip_features(batch([textured(31, 45)]))
    maps = flip_maps(features, features)
    assert not maps.any()
    assert [float(number) for number in flip_readings(maps)] == [0, 0, 0]


def test_a_picture_hardly_differs_from_itself_in_another_batch(textured: Make) -> None:
    """Torch's CPU device rounds otherwise where a batch ends; no longer vectors fit there."""
    pictures = [textured(31, 45, seed) for seed in range(3)]
    alone = torch.cat([flip_features(batch([picture])) for picture in pictures])
    assert flip_maps(alone, flip_features(batch(pictures))).max() <= 1e-4


def test_features_of_a_source_can_be_kept(textured: Make, noisy: Make) -> None:
    source = textured(20, 30)
    kept = flip_features(batch([source]))
    before = kept.clone()
    flip_maps(kept, flip_features(batch([noisy(source, 9)])))
    assert (kept == before).all()
