import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from convergebench.analysis import area_under_curve, areas, half_life, share_matrices
from convergebench.analysis.round_trip.half_life import fall_times
from convergebench.errors import WrongUse

curves = st.lists(st.floats(0, 1), min_size=1, max_size=8)


def of(returned, results_of, *curves, metric="ssim"):
    """The chains of one model with a picture for each curve."""
    returns = [
        returned("m", f"p{number}", place, **{metric: value})
        for number, curve in enumerate(curves)
        for place, value in enumerate(curve, 1)
        if value is not None
    ]
    return share_matrices(results_of(*returns, rounds=max(map(len, curves))), metric)["m"]


def test_the_fall_is_interpolated_between_rounds():
    times, fell = fall_times(np.array([[1.0, 0.7, 0.3]]), 0.5)
    assert (times[0], fell[0]) == (1.5, True)


def test_the_first_fall_counts_even_if_the_picture_recovers():
    times, _ = fall_times(np.array([[1.0, 0.0, 1.0, 0.0]]), 0.5)
    assert times[0] == 0.5


def test_a_chain_that_never_falls_is_censored_where_it_was_last_seen():
    times, fell = fall_times(np.array([[1.0, 0.9, np.nan, np.nan], [1.0, 0.9, 0.8, 0.7]]), 0.5)
    assert (times.tolist(), fell.tolist()) == ([1.0, 3.0], [False, False])


def test_for_a_distance_the_threshold_is_the_share_of_the_way_to_the_worst(returned, results_of):
    life = half_life(of(returned, results_of, [0.1, 0.3, 0.5], metric="lpips"), threshold=0.6)
    assert life.median == pytest.approx(2.5)


@pytest.mark.parametrize("threshold", [0.0, 1.0, 1.5, -1])
def test_a_threshold_that_is_no_share_is_refused(threshold):
    with pytest.raises(WrongUse, match="between 0 and 1"):
        fall_times(np.ones((1, 3)), threshold)


def test_the_models_half_life_is_the_median_over_its_chains(returned, results_of):
    found = of(returned, results_of, [0.9, 0.3], [0.2, 0.1], [0.9, 0.8])
    life = half_life(found)
    expected = 1 + 0.4 / 0.6
    assert life.median == pytest.approx(expected)
    assert (life.n, life.fell, life.clusters) == (3, 2, 3)
    assert life.low <= life.median <= life.high == math.inf


def test_where_most_hold_out_the_half_life_is_later_than_the_last_round(returned, results_of):
    assert half_life(of(returned, results_of, [0.9, 0.8], [0.9, 0.7], [0.4, 0.3])).median == math.inf


def test_a_half_life_knows_the_last_round_to_which_a_chain_was_watched(returned, results_of):
    life = half_life(of(returned, results_of, [0.9, 0.8, None, None], [0.9, None, None, None]))
    assert (life.median, life.watched) == (math.inf, 2)


def test_a_chain_is_watched_until_it_falls_and_not_longer(returned, results_of):
    held, fell = [0.9, 0.8, None, None], [0.2, 0.1, 0.1, 0.1]
    life = half_life(of(returned, results_of, held, held, fell))
    assert (life.median, life.watched) == (math.inf, 2)


def test_one_picture_gives_no_interval(returned, results_of):
    life = half_life(of(returned, results_of, [0.9, 0.3]))
    assert (life.low, life.high) == (None, None)


@given(st.lists(curves, min_size=1, max_size=6), st.floats(0.1, 0.9), st.floats(0.1, 0.9))
def test_a_stricter_threshold_is_never_crossed_later(rows, one, other):
    width = max(map(len, rows))
    shares = np.full((len(rows), width + 1), np.nan)
    for row, values in zip(shares, rows, strict=True):
        row[: len(values) + 1] = [1.0, *values]
    low, high = sorted((one, other))
    (late, fell_late), (early, fell_early) = fall_times(shares, low), fall_times(shares, high)
    assert (early <= late + 1e-9).all() and (fell_early | ~fell_late).all()


def test_the_area_is_the_mean_of_the_trapezoids(returned, results_of):
    found = of(returned, results_of, [0.8, 0.6], [1.0, 1.0])
    assert areas(found).tolist() == pytest.approx([(0.9 + 0.7) / 2, 1.0])
    assert area_under_curve(found).mean == pytest.approx(0.9)


def test_a_hole_is_bridged_and_a_chain_that_ended_early_has_no_area(returned, results_of):
    found = of(returned, results_of, [0.8, None, 0.4], [0.9, 0.8])
    assert areas(found)[0] == pytest.approx((0.9 + 0.7 + 0.5) / 3)
    assert np.isnan(areas(found)[1])
    assert area_under_curve(found).n == 1


@given(curves)
def test_an_area_lies_between_nothing_and_everything(curve):
    from convergebench.analysis import ShareMatrix

    shares = np.array([[1.0, *curve]])
    (area,) = areas(ShareMatrix("m", (("c", 0),), ("p",), shares))
    assert 0 <= area <= 1
    if set(curve) == {1.0}:
        assert area == 1
    elif min(curve) < 1 - 1e-12:  # what is nearer rounds to 1
        assert area < 1
