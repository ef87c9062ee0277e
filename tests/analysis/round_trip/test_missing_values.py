import math

from convergebench.analysis import ModelUse, missing_values


def told(results):
    return [
        (gap.model, gap.case, gap.round, gap.what, gap.kind, gap.reason) for gap in missing_values(results)
    ]


def complete(returned, model="m", round=1, **values):
    return returned(model, round=round, **{"ssim": 0.9, "psnr": 30.0, "lpips": 0.1, **values})


def test_nothing_is_missing_from_complete_results(returned, results_of):
    assert missing_values(results_of(complete(returned), complete(returned, psnr=math.inf))) == ()


def test_rounds_after_a_failure_are_missing_because_of_it(returned, results_of, refused):
    results = results_of(complete(returned), rounds=3, troubles=(refused("m", 2),))
    assert told(results) == [
        ("m", "p1/hat", 2, "return", "refused", "policy"),
        ("m", "p1/hat", 3, "return", "refused", "policy"),
    ]
    assert {gap.failed_at for gap in missing_values(results)} == {"forward edit of round 2"}


def test_rounds_without_a_failure_are_not_run_yet(returned, results_of):
    results = results_of(complete(returned), rounds=2)
    assert [(gap.round, gap.kind) for gap in missing_values(results)] == [(2, "not_run")]


def test_trajectories_without_a_step_are_missing_by_number(returned, results_of):
    use = ModelUse("m", "model", 4, 1, 2, 0, None, None)
    (gap,) = missing_values(results_of(complete(returned), uses=(use,)))
    assert (gap.case, gap.kind, gap.count) == ("", "not_run", 3)


def test_a_missing_value_keeps_its_reason(returned, results_of):
    results = results_of(complete(returned, ssim="the picture is too small", psnr=math.nan))
    assert told(results) == [
        ("m", "p1/hat", 1, "ssim", "not_measured", "the picture is too small"),
        ("m", "p1/hat", 1, "psnr", "not_measured", "the metric gave nan"),
    ]
