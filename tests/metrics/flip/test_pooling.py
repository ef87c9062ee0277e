from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import ndimage
from skimage import data

from convergebench.metrics.flip import (
    VISIBLE,
    flip_area,
    flip_difference,
    flip_map,
    flip_mean,
    flip_peak,
    flip_source,
    smoothed,
    smoothed_difference,
    smoothing_window,
)
from convergebench.types import Pixels
from flip_pairs import nvidia_map, worn

sizes = st.tuples(st.integers(1, 300), st.integers(1, 300))


def random_map(size: tuple[int, int], seed: int) -> NDArray[np.float32]:
    random = np.random.default_rng(seed)
    return (random.random(size) * (random.random(size) < 0.3)).astype(np.float32)


@settings(max_examples=60, deadline=None)
@given(sizes, st.integers(0, 2**32))
def test_smoothing_is_the_mean_over_the_window_inside_the_map(size: tuple[int, int], seed: int) -> None:
    """SciPy's uniform filter counts zeros outside; divided by that of ones it does not."""
    found = random_map(size, seed)
    window = smoothing_window(*size)
    sums, inside = (
        ndimage.uniform_filter(plane, window, mode="constant")
        for plane in (found.astype(np.float64), np.ones(size))
    )
    assert np.abs(smoothed(found) - sums / inside).max() <= 1e-6


@given(sizes, st.floats(0, 1, width=32))
def test_smoothing_leaves_a_flat_map_as_it_is(size: tuple[int, int], level: float) -> None:
    assert smoothed(np.full(size, level, np.float32)) == pytest.approx(level, abs=1e-6)


def test_smoothing_stays_from_zero_to_one_and_leaves_the_map_alone() -> None:
    found = np.zeros((200, 300), np.float32)
    found[:60] = 1
    before = found.copy()
    smooth = smoothed(found)
    assert smooth.min() == 0
    assert smooth.max() == 1
    assert (found == before).all()


@pytest.mark.parametrize("size", [(90, 70), (120, 200), (256, 171), (256, 256), (300, 400)])
def test_a_part_of_a_smoothed_map_has_the_digits_of_the_whole(size: tuple[int, int]) -> None:
    source = data.astronaut()[: size[0], : size[1]]
    one, other = flip_source(source), flip_source(worn(source)["jpeg 75"])
    whole = smoothed(flip_difference(one, other))
    random = np.random.default_rng(3)
    for _ in range(20):
        rows, columns = (slice(*sorted(random.choice(length + 1, 2, replace=False))) for length in size)
        assert np.array_equal(smoothed_difference(one, other, rows, columns), whole[rows, columns])


@pytest.mark.parametrize(("side", "window"), [(1, 1), (113, 1), (114, 3), (256, 5), (512, 9), (1024, 17)])
def test_the_window_is_the_odd_number_nearest_to_a_57th_of_the_longer_side(side: int, window: int) -> None:
    assert smoothing_window(side, max(1, side // 2)) == smoothing_window(side // 2, side) == window
    assert abs(window - side / 57) <= 1


def test_the_mean_is_that_of_nvidias_map() -> None:
    source = data.astronaut()[:160, 150:350]
    for result in worn(source).values():
        ours = flip_mean(flip_map(flip_source(source), result))
        assert ours == pytest.approx(nvidia_map(source, result, 67.0206).mean(dtype=np.float64), abs=1e-5)


def test_local_damage_has_a_high_peak_and_a_small_area_and_noise_the_reverse(
    textured: Callable[..., Pixels],
) -> None:
    source = textured(228, 228)
    damaged = source.copy()
    damaged[100:120, 100:120] = 255 - damaged[100:120, 100:120]
    noise = np.random.default_rng(0).integers(-40, 41, source.shape)
    noised = np.clip(source + noise, 0, 255).astype(np.uint8)
    local, everywhere = (smoothed(flip_map(flip_source(source), result)) for result in (damaged, noised))
    assert flip_peak(local) > 0.5 > flip_peak(everywhere)
    assert flip_area(local) < 0.1 < 0.9 < flip_area(everywhere)


def test_the_area_is_the_share_above_the_threshold() -> None:
    smooth = np.array([[0, 0.05, 0.2], [0.3, 0.1, 1]], np.float32)
    assert flip_area(smooth) == 3 / 6
    assert flip_area(smooth, 0.25) == 2 / 6
    assert flip_peak(smooth) == 1
    assert VISIBLE == 0.10
