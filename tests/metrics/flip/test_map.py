"""The map, against NVIDIA's flip-evaluator."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from skimage import data

from convergebench.errors import WrongUse
from convergebench.metrics.flip import (
    PIXELS_PER_DEGREE,
    flip_difference,
    flip_map,
    flip_source,
    pixels_per_degree,
)
from convergebench.types import Pixels
from flip_pairs import nvidia_map, pairs, worn

Make = Callable[..., Pixels]
APART = 1e-3
"""The promise. Maps of photographs are within 1e-4."""

angles = st.floats(24, 200)
"""Pixels per degree at which pairs of any kind are tried. With fewer, the filters leave most pixels as they
are, and ꟻLIP's definition magnifies rounding errors: where a pixel's colour is the same in both pictures and
its neighbours' are not, it raises what is left of the colour difference to a power near 0. At 4 pixels per
degree NVIDIA's map is up to 0.2 away from the same formulas in 64 bits, at single pixels of such pairs."""


def largest_difference(source: Pixels, result: Pixels, ppd: float = PIXELS_PER_DEGREE) -> float:
    ours = flip_map(flip_source(source, ppd), result)
    return float(np.abs(ours - nvidia_map(source, result, ppd)).max())


@settings(max_examples=80, deadline=None)
@given(pairs(), st.just(PIXELS_PER_DEGREE) | angles)
def test_the_map_equals_nvidias_on_any_pair(pair: tuple[Pixels, Pixels], ppd: float) -> None:
    assert largest_difference(*pair, ppd) <= APART


@settings(max_examples=40, deadline=None)
@given(pairs(), st.floats(2, 200))
def test_two_prepared_pictures_have_the_same_map_in_either_order(
    pair: tuple[Pixels, Pixels], ppd: float
) -> None:
    source, result = (flip_source(picture, ppd) for picture in pair)
    expected = flip_map(source, pair[1])
    assert np.array_equal(flip_difference(source, result), expected)
    assert np.array_equal(flip_difference(result, source), expected)


def test_pictures_that_were_prepared_for_different_angles_are_not_compared() -> None:
    picture = np.zeros((4, 4, 3), np.uint8)
    with pytest.raises(WrongUse, match="same pixels per degree"):
        flip_difference(flip_source(picture, 10.0), flip_source(picture, 20.0))


@pytest.mark.parametrize("ppd", [PIXELS_PER_DEGREE, PIXELS_PER_DEGREE / 4, 120.0, 2.0])
@pytest.mark.parametrize("wear", worn(np.zeros((8, 8, 3), np.uint8)))
def test_the_map_equals_nvidias_on_worn_photographs(wear: str, ppd: float) -> None:
    source = data.astronaut()[40:200, 150:330]
    assert largest_difference(source, worn(source)[wear], ppd) <= APART


@pytest.mark.parametrize("size", [(1, 1), (1, 300), (300, 1), (8, 8), (37, 530), (1025, 40), (40, 1537)])
def test_the_map_equals_nvidias_whatever_the_size(size: tuple[int, int], textured: Make, noisy: Make) -> None:
    source = textured(*size)
    assert largest_difference(source, noisy(source, 25)) <= APART


@settings(max_examples=50, deadline=None)
@given(pairs(), st.floats(1, 400))
def test_a_picture_does_not_differ_from_itself(pair: tuple[Pixels, Pixels], ppd: float) -> None:
    source, _ = pair
    assert not flip_map(flip_source(source, ppd), source).any()


@settings(max_examples=50, deadline=None)
@given(pairs(), st.floats(1, 400))
def test_either_picture_can_be_the_source(pair: tuple[Pixels, Pixels], ppd: float) -> None:
    source, result = pair
    forward = flip_map(flip_source(source, ppd), result)
    assert (forward == flip_map(flip_source(result, ppd), source)).all()


@settings(max_examples=50, deadline=None)
@given(pairs(), st.floats(1, 400))
def test_the_map_is_from_zero_to_one(pair: tuple[Pixels, Pixels], ppd: float) -> None:
    found = flip_map(flip_source(pair[0], ppd), pair[1])
    assert found.dtype == np.float32
    assert found.shape == pair[0].shape[:2]
    assert found.min() >= 0
    assert found.max() <= 1


def test_green_against_blue_is_the_largest_difference() -> None:
    """As ꟻLIP's authors define the end of the scale."""
    green, blue = (np.full((30, 30, 3), colour, np.uint8) for colour in ((0, 255, 0), (0, 0, 255)))
    assert flip_map(flip_source(green), blue) == pytest.approx(1, abs=1e-5)


def test_the_lighter_a_picture_becomes_the_more_it_differs() -> None:
    source = flip_source(data.astronaut()[:128, :128])
    means = [flip_map(source, worn_lighter(level)).mean() for level in (1, 2, 4, 8, 16, 32)]
    assert means == sorted(means)
    assert means[0] > 0.01


def worn_lighter(level: int) -> Pixels:
    return np.minimum(data.astronaut()[:128, :128] + np.uint16(level), 255).astype(np.uint8)


def test_fine_noise_is_seen_less_from_farther_away(textured: Make, noisy: Make) -> None:
    source = textured(96, 96)
    near, far = (flip_map(flip_source(source, ppd), noisy(source, 20)).mean() for ppd in (20, 120))
    assert far < near / 2


def test_pixels_per_degree_scale_with_the_size_of_the_map() -> None:
    assert pixels_per_degree((1024, 768), (1024, 768)) == PIXELS_PER_DEGREE
    assert pixels_per_degree((96, 128), (768, 1024)) == PIXELS_PER_DEGREE / 8


def test_the_default_is_nvidias_own(textured: Make, noisy: Make) -> None:
    import flip_evaluator

    source = textured(20, 20)
    one, other = (pixels.astype(np.float32) / 255 for pixels in (source, noisy(source, 30)))
    _, _, used = flip_evaluator.evaluate(one, other, "LDR")
    assert pytest.approx(used["ppd"], abs=1e-4) == PIXELS_PER_DEGREE


def test_pictures_of_different_sizes_are_refused(textured: Make) -> None:
    with pytest.raises(WrongUse, match="20 × 10 pixels, the result 10 × 20"):
        flip_map(flip_source(textured(10, 20)), textured(20, 10))


@pytest.mark.parametrize("ppd", [0.0, 0.9, 401.0, float("nan")])
def test_pixels_per_degree_have_limits(ppd: float, textured: Make) -> None:
    with pytest.raises(WrongUse, match="from 1 to 400 pixels per degree"):
        flip_source(textured(8, 8), ppd)


def test_a_picture_that_is_not_contiguous_measures_the_same(textured: Make, noisy: Make) -> None:
    source = textured(40, 50)
    result = noisy(source, 20)
    plain = flip_map(
        flip_source(np.ascontiguousarray(source[:, ::-1])), np.ascontiguousarray(result[:, ::-1])
    )
    assert (flip_map(flip_source(source[:, ::-1]), result[:, ::-1]) == plain).all()


def test_threads_share_a_source(textured: Make, noisy: Make) -> None:
    source = textured(90, 700)
    prepared = flip_source(source)
    results = [noisy(source, 10 + seed, seed) for seed in range(8)]
    alone = [flip_map(prepared, result) for result in results]
    with ThreadPoolExecutor(4) as threads:
        together = list(threads.map(lambda result: flip_map(prepared, result), results))
    assert all((one == other).all() for one, other in zip(alone, together, strict=True))
