import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import stdtrit

from convergebench.analysis import clustered_mean, clustered_standard_error
from convergebench.analysis.statistics.confidence import student_quantile

clustered = st.lists(st.tuples(st.floats(-1e3, 1e3), st.sampled_from("abcdef")), min_size=1, max_size=40)


def test_the_clustered_standard_error_is_that_of_inspect_ai():
    assert clustered_standard_error(np.arange(20.0), np.arange(20) % 4) == pytest.approx(0.645, abs=5e-4)


def test_with_one_value_a_cluster_the_standard_error_is_the_usual_one():
    values = np.array([2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0])
    usual = values.std(ddof=1) / np.sqrt(len(values))
    assert clustered_standard_error(values, list("abcdefgh")) == pytest.approx(usual)


def test_one_cluster_has_a_mean_but_no_interval_and_no_standard_error():
    values = np.array([1.0, 2.0, 6.0])
    interval = clustered_mean(values, ["a", "a", "a"])
    assert (interval.mean, interval.low, interval.high) == (3.0, None, None)
    assert (interval.n, interval.clusters) == (3, 1)
    assert clustered_standard_error(values, ["a", "a", "a"]) is None


@pytest.mark.parametrize("clusters", [2, 3, 4, 6, 8, 25])
def test_intervals_cover_the_truth_about_as_often_as_they_say(clusters):
    random = np.random.default_rng(1)
    names = np.repeat(np.arange(clusters), 5)
    hits = 0
    for _ in range(300):
        values = 0.6 + np.repeat(random.normal(0, 0.1, clusters), 5) + random.normal(0, 0.08, len(names))
        interval = clustered_mean(values, names)
        hits += interval.low <= 0.6 <= interval.high
    assert 0.90 <= hits / 300 <= 0.98


def test_an_interval_of_few_clusters_ends_at_what_is_possible():
    values = np.array([0.7, 0.99, 0.98])
    interval = clustered_mean(values, ["a", "b", "c"], possible=(0.0, 1.0))
    assert interval.high == 1.0
    assert interval.low < 0.7


@given(clustered)
def test_the_mean_is_plain_and_lies_in_its_interval(pairs):
    values = np.array([value for value, _ in pairs])
    interval = clustered_mean(values, [name for _, name in pairs], resamples=200)
    assert interval.mean == pytest.approx(values.mean(), abs=1e-6)
    assert values.min() - 1e-6 <= interval.mean <= values.max() + 1e-6
    if interval.low is not None:
        assert interval.low - 1e-6 <= interval.mean <= interval.high + 1e-6


@given(clustered, st.floats(-100, 100))
def test_shifting_all_values_shifts_the_interval(pairs, shift):
    values, names = np.array([value for value, _ in pairs]), [name for _, name in pairs]
    here = clustered_mean(values, names, resamples=200)
    there = clustered_mean(values + shift, names, resamples=200)
    assert there.mean - here.mean == pytest.approx(shift, abs=1e-6)
    if here.low is not None:
        assert there.low - here.low == pytest.approx(shift, abs=1e-6)


@pytest.mark.parametrize("values", [[], [1.0, np.inf], [np.nan]])
def test_there_is_no_mean_of_nothing_or_of_infinity(values):
    with pytest.raises(ValueError, match="finite"):
        clustered_mean(np.array(values), ["a"] * len(values))


@pytest.mark.parametrize(
    ("freedom", "table"), [(1, 12.706), (2, 4.303), (3, 3.182), (5, 2.571), (10, 2.228), (30, 2.042)]
)
def test_student_quantiles_are_those_of_the_printed_tables(freedom, table):
    assert student_quantile(0.975, freedom) == pytest.approx(table, abs=5e-4)


@pytest.mark.parametrize("probability", [0.6, 0.975, 0.995, 0.9995])
def test_student_quantiles_are_those_of_scipy(probability):
    for freedom in [*range(1, 60), 199, 500, 999, 1000, 1001, 5000, 10**6]:
        assert student_quantile(probability, freedom) == pytest.approx(
            stdtrit(freedom, probability), rel=1e-12
        )
