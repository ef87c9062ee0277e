import math
from dataclasses import replace

import pytest

from convergebench.analysis import forward_success, gated_order, scores
from convergebench.types import Measurement, MetricFacts

CLIP = MetricFacts("clip", "1", "higher", 1.0, 0.0, "semantic")


def edited(item, decibels):
    """The same return, whose forward edit differs from its input by so much."""
    return replace(item, forwards=({"psnr": Measurement("psnr", "1", decibels)},))


def test_quality_is_the_mean_area_of_structure_and_perception(returned, results_of):
    score = scores(results_of(returned("m", ssim=0.8, lpips=0.4)))["m"]
    assert score.quality.mean == pytest.approx(100 * (0.9 + 0.8) / 2)
    assert (score.metrics, score.missing) == (("ssim", "lpips"), ("clip",))


def test_without_a_dimension_the_score_is_of_the_other_and_says_so(returned, results_of):
    score = scores(results_of(returned("m", ssim=0.8, lpips=0.4)))["m"]
    assert score.semantic is None
    assert score.together.mean == pytest.approx(score.quality.mean)


def test_both_dimensions_together_are_their_geometric_mean(returned, results_of):
    results = results_of(returned("m", ssim=0.8, lpips=0.4, clip=0.2))
    score = scores(replace(results, metrics=(*results.metrics, CLIP)))["m"]
    assert score.semantic.mean == pytest.approx(60)
    assert score.together.mean == pytest.approx(math.sqrt(85 * 60))
    assert score.missing == ()


def test_a_metric_that_one_model_lacks_enters_no_models_score(returned, results_of):
    results = results_of(returned("a", ssim=0.8, lpips=0.4), returned("b", ssim=0.8, lpips="no weights"))
    assert {score.metrics for score in scores(results).values()} == {("ssim",)}


def test_a_chain_that_ended_early_has_no_score(returned, results_of):
    results = results_of(
        returned("m", "p1", 1, ssim=0.8), returned("m", "p1", 2, ssim=0.6), returned("m", "p2", 1, ssim=0.9),
        rounds=2,
    )  # fmt: skip
    assert scores(results)["m"].together.n == 1


def test_a_model_without_a_complete_chain_takes_nobody_elses_score(returned, results_of):
    results = results_of(
        *(returned("whole", "p1", number, ssim=0.8, lpips=0.4) for number in (1, 2)),
        returned("begun", "p1", 1, ssim=0.8, lpips=0.4),
        rounds=2,
    )
    found = scores(results)
    assert found["whole"].metrics == ("ssim", "lpips")
    assert found["whole"].together is not None
    assert found["begun"].together is None


def test_an_editor_that_does_nothing_ranks_last_when_gated(returned, results_of):
    results = results_of(
        edited(returned("identity", role="floor", ssim=1.0, lpips=0.0), math.inf),
        edited(returned("worker", ssim=0.3, lpips=0.6), 18.0),
    )
    found = scores(results)
    assert found["identity"].together.mean == 100 and found["identity"].gated.mean == 0
    assert gated_order(results) == ("worker", "identity")


def test_rounds_without_their_edit_earn_nothing(returned, results_of):
    results = results_of(
        edited(returned("m", round=1, ssim=1.0), 20.0), edited(returned("m", round=2, ssim=1.0), math.inf),
        rounds=2,
    )  # fmt: skip
    assert scores(results)["m"].gated.mean == pytest.approx(50)


def test_where_every_edit_happened_gating_changes_nothing(returned, results_of):
    results = results_of(*(edited(returned("m", round=n, ssim=1 - n / 10), 20.0) for n in (1, 2)), rounds=2)
    score = scores(results)["m"]
    assert score.gated.mean == pytest.approx(score.together.mean)


def test_edits_that_nobody_measured_are_unknown_and_not_failed(returned, results_of):
    score = scores(results_of(returned("m", ssim=0.9)))["m"]
    assert (score.gated, score.gated_by) == (None, None)
    success = forward_success(results_of(returned("m", ssim=0.9)))["m"]
    assert (success.rate, success.unknown) == (None, 1)


def test_without_a_judge_success_is_labelled_as_a_change(returned, results_of):
    results = results_of(
        edited(returned("m", "p1"), 25.0),
        edited(returned("m", "p2"), 39.9),
        edited(returned("m", "p3"), 40.1),
    )
    success = forward_success(results)["m"]
    assert (success.happened, success.judged, success.says) == (2, 3, "changed something")


def test_where_clips_direction_was_measured_it_decides(returned, results_of):
    item = edited(returned("m"), 20.0)
    backwards = {**item.forwards[0], "clip_direction": Measurement("clip_direction", "1", -0.1)}
    success = forward_success(results_of(replace(item, forwards=(backwards,))))["m"]
    assert (success.happened, success.judged) == (0, 1) and "CLIP" in success.says
