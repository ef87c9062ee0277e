"""Freireich's remission times under 6-MP, in weeks: the example of most textbooks on survival."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import CensoredData, ecdf

from convergebench.analysis.statistics.survival import (
    bootstrap_medians,
    kaplan_meier,
    median_interval,
    median_survival,
)

RELAPSES = (6, 6, 6, 7, 10, 13, 16, 22, 23)
STILL_WELL = (6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35)
PLACEBO = (1, 1, 2, 2, 3, 4, 4, 5, 5, 8, 8, 8, 8, 11, 11, 12, 12, 15, 17, 22, 23)


@pytest.fixture
def remission():
    times = np.array([*RELAPSES, *STILL_WELL], float)
    return times, np.arange(len(times)) < len(RELAPSES)


def test_the_curve_is_that_of_the_textbooks(remission):
    curve = kaplan_meier(*remission)
    assert curve.times.tolist() == [6, 7, 10, 13, 16, 22, 23]
    assert curve.share == pytest.approx([0.8571, 0.8067, 0.7529, 0.6902, 0.6275, 0.5378, 0.4482], abs=5e-5)


def test_the_log_log_interval_is_that_of_the_textbooks(remission):
    curve = kaplan_meier(*remission)
    assert (curve.low[0], curve.high[0]) == pytest.approx((0.620, 0.952), abs=1e-3)
    assert (curve.low[-1], curve.high[-1]) == pytest.approx((0.188, 0.680), abs=1e-3)


def test_the_medians_are_23_and_8_weeks(remission):
    assert median_survival(*remission) == 23
    assert median_survival(np.array(PLACEBO, float), np.ones(21, bool)) == 8


def test_where_nothing_falls_the_median_is_not_reached():
    assert median_survival(np.array([3.0, 4.0]), np.array([False, False])) == math.inf


@given(st.lists(st.tuples(st.integers(1, 9), st.booleans()), min_size=1, max_size=30), st.integers(0, 99))
def test_every_resample_is_refitted_as_the_slow_way_does(items, seed):
    times = np.array([time for time, _ in items], float)
    fell = np.array([fallen for _, fallen in items])
    clusters = np.arange(len(items)) % 4
    clusters = np.unique(clusters, return_inverse=True)[1]
    fast = bootstrap_medians(times, fell, clusters, 5, seed)
    count = clusters.max() + 1
    drawn = np.random.default_rng(seed).integers(count, size=(5, count))
    for row, median in zip(drawn, fast, strict=True):
        places = np.concatenate([np.flatnonzero(clusters == one) for one in row])
        assert median == median_survival(times[places], fell[places])


def test_the_median_lies_in_its_interval_and_the_end_may_be_open(remission):
    medians = bootstrap_medians(*remission, np.arange(21), 2000)
    low, high = median_interval(medians, 21)
    assert 10 <= low <= 16 and high == math.inf


def test_intervals_of_half_lives_cover_the_truth():
    random = np.random.default_rng(3)
    truth = 8 * math.log(2)
    hits, simulations = 0, 2000
    for _ in range(simulations):
        times = random.exponential(8, 60)
        fell = times < 10
        medians = bootstrap_medians(np.minimum(times, 10), fell, np.arange(60), 400)
        low, high = median_interval(medians, 60)
        hits += low <= truth <= high
    assert 0.93 <= hits / simulations <= 0.97


@given(st.lists(st.tuples(st.integers(1, 9), st.booleans()), min_size=1, max_size=30))
def test_the_median_is_where_the_curve_of_scipy_reaches_one_half(items):
    times = np.array([time for time, _ in items], float)
    fell = np.array([fallen for _, fallen in items])
    curve = ecdf(CensoredData.right_censored(times, ~fell)).sf
    reached = curve.quantiles[curve.probabilities <= 0.5 + 1e-9]
    assert median_survival(times, fell) == (reached[0] if len(reached) else math.inf)
