import math
from dataclasses import replace

import pytest

from convergebench.analysis import ModelUse, degradation_curves
from convergebench.errors import WrongUse


def test_a_curve_has_the_mean_of_every_round(returned, results_of):
    results = results_of(
        returned("m", "p1", 1, ssim=0.9),
        returned("m", "p2", 1, ssim=0.7),
        returned("m", "p1", 2, ssim=0.5),
        returned("m", "p2", 2, ssim=0.3),
        rounds=2,
    )
    (curve,) = degradation_curves(results, "ssim")
    assert [point.mean for point in curve.points] == pytest.approx([0.8, 0.4])
    assert [(point.n, point.missing) for point in curve.points] == [(2, 0), (2, 0)]


def test_infinite_values_are_counted_and_not_averaged(returned, results_of):
    results = results_of(
        returned("m", "p1", psnr=math.inf), returned("m", "p2", psnr=20.0), returned("m", "p3", psnr=30.0)
    )
    point = degradation_curves(results, "psnr")[0].points[0]
    assert (point.mean, point.n, point.perfect, point.missing) == (25.0, 3, 1, 0)


def test_a_mean_is_infinite_only_where_all_values_are(returned, results_of):
    results = results_of(returned("m", "p1", psnr=math.inf), returned("m", "p2", psnr=math.inf))
    point = degradation_curves(results, "psnr")[0].points[0]
    assert (point.mean, point.low, point.high, point.perfect) == (math.inf, None, None, 2)


def test_a_missing_value_is_not_zero_in_the_mean(returned, results_of):
    results = results_of(returned("m", "p1", ssim=0.8), returned("m", "p2", ssim="no weights"))
    point = degradation_curves(results, "ssim")[0].points[0]
    assert (point.mean, point.n, point.missing) == (0.8, 1, 1)


def test_a_value_that_is_not_a_number_is_missing(returned, results_of):
    results = results_of(returned("m", "p1", ssim=0.8), returned("m", "p2", ssim=math.nan))
    assert degradation_curves(results, "ssim")[0].points[0].mean == 0.8


def test_returns_that_never_came_are_missing_at_their_round(returned, results_of, refused):
    results = results_of(
        returned("m", "p1", 1, ssim=0.9),
        returned("m", "p1", 2, ssim=0.8),
        returned("m", "p2", 1, ssim=0.9),
        rounds=2,
        troubles=(refused("m", 2, "p2"), refused("m", 1, "p3")),
    )
    assert [point.missing for point in degradation_curves(results, "ssim")[0].points] == [1, 2]


def test_trajectories_that_were_never_begun_are_missing_too(returned, results_of):
    use = ModelUse("m", "model", 5, 1, 2, 0, None, None)
    results = results_of(returned("m", ssim=0.9), uses=(use,))
    assert degradation_curves(results, "ssim")[0].points[0].missing == 4


def test_a_round_without_values_has_no_mean(returned, results_of):
    results = results_of(returned("m", round=1, ssim=0.9), rounds=2)
    point = degradation_curves(results, "ssim")[0].points[1]
    assert (point.mean, point.n, point.missing) == (None, 0, 1)


def test_an_unknown_metric_is_refused_with_the_known_ones(results_of):
    with pytest.raises(WrongUse, match="ssim, psnr, lpips"):
        degradation_curves(results_of(), "sssim")


@pytest.mark.parametrize(
    ("returns", "troubles", "said"),
    [
        (1, (), "nothing is measured yet; run convergebench measure"),
        (0, (), "nothing is measured yet, because there is no return yet; rerun the command to continue"),
        (0, ("refused",), r"return: 1 of 1 chains of m refused \(policy\)$"),
        (0, ("crashed",), r"1 of 1 chains of m crashed \(policy\); rerun the command to continue$"),
    ],
)
def test_results_without_any_measurement_say_what_to_do(
    returned, results_of, refused, returns, troubles, said
):
    ended = tuple(replace(refused("m", 1), kind_of_failure=kind) for kind in troubles)
    results = results_of(*[returned("m")] * returns, troubles=ended)
    with pytest.raises(WrongUse, match=said):
        degradation_curves(replace(results, metrics=()), "ssim")
