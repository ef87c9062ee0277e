import pytest

from convergebench.analysis import breakdown


def test_each_group_has_its_own_mean(returned, results_of):
    results = results_of(
        returned("m", "p1", pair="hat", ssim=0.8),
        returned("m", "p2", pair="hat", ssim=0.6),
        returned("m", "p1", pair="flip", ssim=0.1),
    )
    parts = breakdown(results, "category", "ssim", 1)
    assert parts.groups == ("accessories", "geometric")
    assert parts.models["m"]["accessories"].mean == pytest.approx(0.7)
    assert parts.models["m"]["geometric"].mean == pytest.approx(0.1)


def test_a_group_that_a_model_failed_in_is_missing_and_not_zero(returned, results_of, refused):
    results = results_of(returned("m", pair="flip", ssim=0.5), troubles=(refused("m", 1),))
    failed = breakdown(results, "category", "ssim", 1).models["m"]["accessories"]
    assert (failed.mean, failed.n, failed.missing) == (None, 0, 1)


def test_a_group_that_a_model_was_never_asked_for_is_absent(returned, results_of):
    results = results_of(returned("a", pair="hat", ssim=0.5), returned("b", pair="flip", ssim=0.5))
    assert set(breakdown(results, "category", "ssim", 1).models["a"]) == {"accessories"}
