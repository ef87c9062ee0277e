from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from convergebench.analysis.refinement.differences import BeforeAfter, difference
from convergebench.analysis.statistics.clustered_mean import clustered_mean

GRADE = st.integers(0, 10).map(float) | st.just("verdict refused")
SAMPLES = st.lists(st.builds(BeforeAfter, st.sampled_from("abcdef"), GRADE, GRADE))


@given(SAMPLES)
def test_every_sample_is_counted_on_each_side_and_among_the_pairs(samples: list[BeforeAfter]) -> None:
    found = difference(samples)
    for side, missing in (
        (found.primary, found.missing_primary), (found.refined, found.missing_refined),
        (found.paired, found.missing_pairs),
    ):  # fmt: skip
        assert (side.n if side else 0) + missing == len(samples)


@given(SAMPLES)
def test_the_difference_of_means_is_that_of_the_means_beside_it(samples: list[BeforeAfter]) -> None:
    found = difference(samples)
    if found.primary is None or found.refined is None:
        assert found.of_means is None
    else:
        assert found.of_means is not None
        assert found.of_means.mean == pytest.approx(found.refined.mean - found.primary.mean)


@given(SAMPLES)
def test_swapping_the_sides_swaps_the_sign(samples: list[BeforeAfter]) -> None:
    there = difference(samples).of_means
    back = difference([BeforeAfter(one.picture, one.refined, one.primary) for one in samples]).of_means
    assert (there is None) == (back is None)
    if there and back:
        assert back.mean == pytest.approx(-there.mean)
        assert (back.low is None) == (there.low is None)


def test_where_nothing_is_missing_both_ways_are_one() -> None:
    random = np.random.default_rng(5)
    grades = random.integers(0, 11, (60, 2)).astype(float)
    samples = [BeforeAfter(f"p{number % 20}", *pair) for number, pair in enumerate(grades.tolist())]
    found = difference(samples)
    assert found.of_means is not None and found.paired is not None
    assert found.of_means.mean == pytest.approx(found.paired.mean)
    # Other draws, so the ends agree only as far as resampling does.
    assert found.of_means.low == pytest.approx(found.paired.low, abs=0.15)
    assert found.of_means.high == pytest.approx(found.paired.high, abs=0.15)


def test_with_few_pictures_both_ways_are_as_uncertain() -> None:
    found = difference([BeforeAfter("a", 7.0, 3.0), BeforeAfter("b", 9.0, 8.0), BeforeAfter("c", 2.0, 4.0)])
    assert found.of_means is not None and found.paired is not None
    assert (found.of_means.low, found.of_means.high) == pytest.approx((found.paired.low, found.paired.high))


def test_the_paired_difference_is_a_mean_clustered_by_picture() -> None:
    samples = [BeforeAfter("a", 1.0, 3.0), BeforeAfter("a", 2.0, 1.0), BeforeAfter("b", 5.0, 9.0)]
    assert difference(samples).paired == clustered_mean(np.array([2.0, -1.0, 4.0]), ["a", "a", "b"])


def test_equal_differences_and_single_pictures_have_no_interval() -> None:
    same = difference([BeforeAfter("a", 4.0, 4.0), BeforeAfter("b", 4.0, 4.0)])
    raised = difference([BeforeAfter("a", 4.1, 6.1), BeforeAfter("b", 1.0, 3.0)])
    alone = difference([BeforeAfter("a", 4.0, 5.0), BeforeAfter("a", 2.0, 7.0)])
    for found in (same, raised, alone):
        assert found.paired is not None and found.of_means is not None
        assert (found.paired.low, found.of_means.low) == (None, None)


@given(SAMPLES)
def test_a_difference_of_grades_is_at_most_as_wide_as_their_scale(samples: list[BeforeAfter]) -> None:
    found = difference(samples, (0.0, 10.0))
    for one, least in ((found.primary, 0), (found.refined, 0), (found.paired, -10), (found.of_means, -10)):
        if one is not None and one.low is not None and one.high is not None:
            assert least <= one.low <= one.high <= 10
