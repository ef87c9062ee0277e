import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from convergebench.analysis import compare_models, compare_models_by, paired_areas, paired_difference
from convergebench.analysis.round_trip.paired_difference import (
    NothingShared,
    minimum_detectable,
    sign_flip_p_value,
    values_at,
)
from convergebench.analysis.statistics.clustered_mean import clustered_mean
from convergebench.analysis.statistics.significance_letters import letters, significance_letters
from convergebench.errors import WrongUse

DARWIN = (49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48)
"""Differences in height of crossed and self-fertilised maize, in eighths of an inch (Darwin 1876)."""


def test_the_permutation_test_is_fishers_on_darwins_maize():
    """Fisher counted 1,726 of 32,768 assignments as extreme as Darwin's, on both sides."""
    p_value = sign_flip_p_value(np.array(DARWIN, float), [str(place) for place in range(15)])
    assert p_value == pytest.approx(1726 / 32768, abs=0.006)
    exact = [sum(s * d for s, d in zip(signs, DARWIN[:14], strict=True))
             for signs in itertools.product((1, -1), repeat=14)]  # fmt: skip
    expected = np.mean(np.abs(exact) >= abs(sum(DARWIN[:14])))
    assert sign_flip_p_value(np.array(DARWIN[:14], float), list("abcdefghijklmn")) == expected


def test_edits_of_one_picture_are_swapped_together():
    assert sign_flip_p_value(np.ones(40), ["a"] * 20 + ["b"] * 20) == 0.5


def test_equal_models_do_not_differ():
    assert sign_flip_p_value(np.zeros(6), list("abcdef")) == 1


def test_only_shared_cases_are_compared(returned, results_of):
    results = results_of(
        returned("a", "p1", ssim=0.9), returned("a", "p2", ssim=0.7), returned("a", "p3", ssim=0.1),
        returned("b", "p1", ssim=0.6), returned("b", "p2", ssim=0.5), returned("b", "p4", ssim=1.0),
        returned("b", "p5", ssim=1.0),
    )  # fmt: skip
    found = paired_difference(results, "a", "b")
    assert found.difference.mean == pytest.approx(0.25)
    assert (found.first_mean, found.second_mean) == pytest.approx((0.8, 0.55))
    assert (found.difference.n, found.only_first, found.only_second) == (2, 1, 2)


def test_shared_cases_with_an_infinite_value_are_counted_apart(returned, results_of):
    results = results_of(
        returned("a", "p1", psnr=30.0), returned("a", "p2", psnr=math.inf),
        returned("a", "p3", psnr=math.inf),
        returned("b", "p1", psnr=20.0), returned("b", "p2", psnr=20.0), returned("b", "p4", psnr=20.0),
    )  # fmt: skip
    found = paired_difference(results, "a", "b", "psnr")
    assert (found.difference.n, found.infinite, found.only_first, found.only_second) == (1, 1, 1, 1)


def test_models_with_infinite_values_alone_are_said_to_share_no_finite_one(returned, results_of):
    results = results_of(returned("a", psnr=math.inf), returned("b", psnr=20.0))
    with pytest.raises(NothingShared, match="share no case with finite psnr @ R1"):
        paired_difference(results, "a", "b", "psnr")


def test_a_difference_that_is_clear_names_the_better_model(returned, results_of):
    results = results_of(
        *(returned("a", f"p{n}", ssim=0.8 + n / 100, lpips=0.2 + n / 100) for n in range(9)),
        *(returned("b", f"p{n}", ssim=0.6 + n / 90, lpips=0.4 + n / 90) for n in range(9)),
    )
    assert paired_difference(results, "a", "b").verdict == "a is better"
    assert paired_difference(results, "b", "a").verdict == "a is better"
    assert paired_difference(results, "a", "b", "lpips").verdict == "a is better"
    assert paired_difference(results, "a", "b").p_value == pytest.approx(2 / 2**9)


def test_one_picture_cannot_tell_models_apart(returned, results_of):
    found = paired_difference(results_of(returned("a", ssim=0.9), returned("b", ssim=0.1)), "a", "b")
    assert (found.verdict, found.minimum_detectable, found.smallest_p_value) == (
        "cannot be told apart",
        None,
        1,
    )


def test_models_without_a_shared_case_are_refused(returned, results_of):
    results = results_of(returned("a", "p1", ssim=0.9), returned("b", "p2", ssim=0.1))
    with pytest.raises(NothingShared, match="share no case"):
        paired_difference(results, "a", "b")
    with pytest.raises(WrongUse, match="choose from: a, b"):
        paired_difference(results, "a", "c")


def test_areas_are_compared_too(returned, results_of):
    losses = {"a": 0.1, "b": 0.2}
    returns = [returned(model, "p1", n, ssim=1 - losses[model] * n) for model in losses for n in (1, 2)]
    results = results_of(*returns, rounds=2)
    assert paired_areas(results, "a", "b").difference.mean == pytest.approx(0.1)
    assert [one.quantity for one in compare_models(results, "a", "b")] == ["ssim @ R2", "ssim AUC"]


def test_parts_of_the_suite_are_compared_apart(returned, results_of):
    values = {("a", "hat"): 0.9, ("b", "hat"): 0.8, ("a", "flip"): 0.1, ("b", "flip"): 0.4}
    results = results_of(*(returned(model, pair=pair, ssim=value) for (model, pair), value in values.items()))
    parts = compare_models_by(results, "category", "a", "b")
    assert {name: one.difference.mean for name, one in parts.items()} == pytest.approx(
        {"accessories": 0.1, "geometric": -0.3}
    )


def test_five_pictures_cannot_name_a_winner_whatever_their_interval_says(returned, results_of):
    """All five agree, so t leaves zero far outside, but one of 16 pairs of equal models looks like that."""
    results = results_of(
        *(returned(model, f"p{n}", ssim=value + n / 100)
          for model, value in (("a", 0.9), ("b", 0.5)) for n in range(5))
    )  # fmt: skip
    for found in (
        *compare_models_by(results, "category", "a", "b").values(),
        paired_areas(results, "a", "b"),
    ):
        assert found.difference.low > 0 and found.p_value == 0.0625
        assert found.verdict == "cannot be told apart"


def test_the_minimum_detectable_effect_is_found_four_times_of_five():
    random = np.random.default_rng(5)
    clusters = [str(place) for place in range(30)]
    effect = minimum_detectable(random.normal(0, 1, 30), clusters)
    found = 0
    for _ in range(1000):
        values = random.normal(effect, 1, 30)
        found += abs(values.mean()) > 2.045 * values.std(ddof=1) / np.sqrt(30)
    assert 0.6 <= found / 1000 <= 0.95
    average = np.mean([minimum_detectable(random.normal(0, 1, 30), clusters) for _ in range(200)])
    assert average == pytest.approx((2.045 + 0.842) / np.sqrt(30), rel=0.05)


def test_intervals_of_paired_differences_cover_the_truth():
    """2,000 simulated comparisons of 50 pictures with 4 edits each."""
    random = np.random.default_rng(11)
    names = np.repeat(np.arange(50), 4)
    hits = 0
    for _ in range(2000):
        of_picture = np.repeat(random.normal(0, 0.05, 50), 4)
        differences = 0.02 + of_picture + random.normal(0, 0.06, 200)
        interval = clustered_mean(differences, names)
        hits += interval.low <= 0.02 <= interval.high
    assert 0.93 <= hits / 2000 <= 0.97


def test_models_that_differ_share_no_letter():
    assert letters("ABCD", {frozenset("AD"), frozenset("AC"), frozenset("BD")}) == {
        "A": "a", "B": "ab", "C": "bc", "D": "c",
    }  # fmt: skip


@given(st.integers(2, 6).flatmap(lambda n: st.tuples(st.just(n), st.sets(
    st.sampled_from(list(itertools.combinations(range(n), 2)))))))  # fmt: skip
def test_two_models_share_a_letter_exactly_if_they_do_not_differ(drawn):
    count, pairs = drawn
    models = [f"m{number}" for number in range(count)]
    different = {frozenset((models[one], models[other])) for one, other in pairs}
    shown = letters(models, different)
    for one, other in itertools.combinations(models, 2):
        assert bool(set(shown[one]) & set(shown[other])) == (frozenset((one, other)) not in different)


def _grouped(results, models):
    facts = results.facts("ssim")
    return significance_letters({model: values_at(results, model, facts, 1) for model in models}, facts)


def test_models_far_apart_are_in_different_groups(returned, results_of):
    random = np.random.default_rng(2)
    results = results_of(
        *(returned(model, f"p{n}", ssim=float(mean + random.normal(0, 0.02)))
          for model, mean in (("a", 0.8), ("b", 0.795), ("c", 0.4)) for n in range(8))
    )  # fmt: skip
    assert _grouped(results, "abc") == {"a": "a", "b": "a", "c": "b"}


def test_models_that_share_too_little_cannot_be_told_apart(returned, results_of):
    results = results_of(returned("a", "p1", ssim=0.9), returned("b", "p2", ssim=0.1))
    assert _grouped(results, "ab") == {"a": "a", "b": "a"}


def test_models_with_different_letters_are_told_apart_by_comparing_them_too(returned, results_of):
    """Five pictures cannot: equal models agree on all of them in one of 16 comparisons."""
    for pictures, expected in ((5, {"a": "a", "b": "a"}), (6, {"a": "a", "b": "b"})):
        results = results_of(
            *(returned(model, f"p{n}", ssim=value + n / 100)
              for model, value in (("a", 0.9), ("b", 0.5)) for n in range(pictures))
        )  # fmt: skip
        assert _grouped(results, "ab") == expected
        alike = paired_difference(results, "a", "b").verdict == "cannot be told apart"
        assert alike == (expected["a"] == expected["b"])
