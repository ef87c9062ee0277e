from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from convergebench.metrics.flip import BIN_EDGES, BINS, flip_area, histogram, mean_ramp, share_above

thresholds = st.floats(0, 1)


@st.composite
def smooth_maps(draw: st.DrawFn) -> NDArray[np.float32]:
    """Values spread in one of several ways, 0 and 1 among them."""
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    size = (draw(st.integers(1, 40)), draw(st.integers(1, 40)))
    values = random.random(size) ** draw(st.sampled_from([0.2, 1, 5]))
    values[random.random(size) < 0.1] = draw(st.sampled_from([0.0, 1.0]))
    return values.astype(np.float32)


@given(smooth_maps())
def test_every_pixel_is_in_the_bin_between_whose_edges_it_lies(smooth: NDArray[np.float32]) -> None:
    counts = histogram(smooth)
    reference, _ = np.histogram(smooth.astype(np.float64), BIN_EDGES)
    assert counts.dtype == np.uint32
    assert counts.shape == (BINS,)
    from_edge = np.abs(smooth.astype(np.float64).ravel()[:, None] - BIN_EDGES).min(axis=1)
    on_edge = np.count_nonzero((from_edge > 0) & (from_edge < 1e-6))  # 32 bits do not tell them apart
    assert np.abs(counts.astype(int) - reference).sum() <= 2 * on_edge


@given(smooth_maps(), st.integers(0, 10))
def test_shares_at_multiples_of_five_percent_are_exact(smooth: NDArray[np.float32], times: int) -> None:
    smooth = smooth[~np.isclose(smooth, times / 20, atol=1e-6)]
    if smooth.size:
        assert share_above(histogram(smooth), times / 20) == pytest.approx(flip_area(smooth, times / 20))


@given(smooth_maps(), thresholds)
def test_other_shares_are_off_by_the_share_of_one_bin_at_most(
    smooth: NDArray[np.float32], threshold: float
) -> None:
    counts = histogram(smooth)
    its_bin = min(int(np.searchsorted(BIN_EDGES, threshold, side="right")) - 1, BINS - 1)
    near = counts[max(its_bin - 1, 0) : its_bin + 1].sum() / smooth.size  # an edge belongs to two
    assert abs(share_above(counts, threshold) - flip_area(smooth, threshold)) <= near + 1e-12


@given(smooth_maps(), thresholds, st.floats(0.05, 1))
def test_ramps_are_as_exact_as_they_say(smooth: NDArray[np.float32], start: float, width: float) -> None:
    direct = float(np.clip((smooth.astype(np.float64) - start) / width, 0, 1).mean())
    bound = 1 / ((160 if start + width <= 0.5 else 96) * width)
    assert abs(mean_ramp(histogram(smooth), start, width) - direct) <= bound + 1e-6


@given(smooth_maps(), st.floats(0, 1))
def test_a_mask_leaves_out_the_rest(smooth: NDArray[np.float32], share: float) -> None:
    mask = np.random.default_rng(1).random(smooth.shape) < share
    assert (histogram(smooth, mask) + histogram(smooth, ~mask) == histogram(smooth)).all()
    assert histogram(smooth, mask).sum() == mask.sum()


def test_without_pixels_there_is_no_share() -> None:
    nothing = histogram(np.zeros((3, 3), np.float32), np.zeros((3, 3), bool))
    assert math.isnan(share_above(nothing, 0.1))
    assert math.isnan(mean_ramp(nothing, 0.1, 0.2))


def test_the_edges_cover_everything_from_zero_to_one() -> None:
    assert BIN_EDGES[0] == 0
    assert BIN_EDGES[-1] == 1
    assert len(BIN_EDGES) == BINS + 1
    assert (np.diff(BIN_EDGES) > 0).all()
    assert all(np.isclose(BIN_EDGES, times / 20).any() for times in range(11))
