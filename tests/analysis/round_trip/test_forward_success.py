import math
from dataclasses import replace

import pytest

from convergebench.analysis import forward_success, gated_order, scores
from convergebench.types import Measurement

NO_DIRECTION = "the instruction gives no captions to compare"


def edited(item, *, psnr=None, direction=None):
    """The same return, with what was measured of its forward edit; a text is the reason for a missing one."""
    forward = {}
    if psnr is not None:
        forward["psnr"] = Measurement("psnr", "1", psnr)
    if isinstance(direction, str):
        forward["clip_direction"] = Measurement("clip_direction", "", None, direction)
    elif direction is not None:
        forward["clip_direction"] = Measurement("clip_direction", "1", direction)
    return replace(item, forwards=(forward,))


def told(results, model="m"):
    found = forward_success(results)[model]
    return found.happened, found.judged, found.unknown


@pytest.mark.parametrize(("direction", "happened"), [(0.3, 1), (0.08, 1), (0.06, 0), (0.0, 0), (-0.4, 0)])
def test_an_edit_happened_if_its_direction_is_above_chance(returned, results_of, direction, happened):
    assert told(results_of(edited(returned("m"), psnr=15.0, direction=direction))) == (happened, 1, 0)


def test_a_small_edit_that_clip_sees_happened_though_few_pixels_changed(returned, results_of):
    assert told(results_of(edited(returned("m"), psnr=45.0, direction=0.3))) == (1, 1, 0)


def test_edits_without_captions_are_tested_for_any_change_and_the_label_says_so(returned, results_of):
    results = results_of(
        edited(returned("m", "p1"), psnr=15.0, direction=0.3),
        edited(returned("m", "p2", pair="flip"), psnr=12.0, direction=NO_DIRECTION),
        edited(returned("m", "p3", pair="flip"), psnr=50.0, direction=NO_DIRECTION),
    )
    assert told(results) == (2, 3, 0)
    says = forward_success(results)["m"].says
    assert "by CLIP" in says and "flips" in says and "changed something" in says


def test_an_unchanged_picture_moved_nowhere_and_was_not_measured(returned, results_of):
    results = results_of(
        edited(returned("worker", ssim=0.3), psnr=18.0, direction=0.2),
        edited(returned("identity", role="floor", ssim=1.0), psnr=math.inf),
    )
    assert told(results, "identity") == (0, 1, 0)
    assert gated_order(results) == ("worker", "identity")


def test_a_change_that_clip_was_never_asked_about_is_unknown_beside_those_it_was(returned, results_of):
    results = results_of(
        edited(returned("asked"), psnr=18.0, direction=0.2), edited(returned("never"), psnr=18.0)
    )
    assert told(results, "never") == (0, 0, 1)


def test_a_forward_edit_counts_though_its_round_never_came_back(returned, results_of, refused):
    came_back = edited(returned("m"), psnr=18.0)
    lost = replace(refused("m", 2), role="backward", forwards=came_back.forwards)
    never = replace(lost, model="never", forwards=edited(came_back, psnr=50.0).forwards)
    results = results_of(came_back, troubles=(lost, never, refused("m", 1, "p2")), rounds=2)
    assert told(results) == (2, 2, 0)
    assert told(results, "never") == (0, 1, 0)


def test_noise_passes_as_a_change_and_not_as_a_direction(returned, results_of):
    noise = returned("noise", ssim=0.9)
    changed = scores(results_of(edited(noise, psnr=25.0)))["noise"]
    moved = scores(results_of(edited(noise, psnr=25.0, direction=0.01)))["noise"]
    assert changed.gated.mean > 90 and moved.gated.mean == 0
    assert (changed.gated_by, "CLIP" in moved.gated_by) == ("changed something", True)


def test_where_no_edit_at_all_has_a_direction_the_label_does_not_speak_of_clip(returned, results_of):
    results = results_of(edited(returned("m", pair="flip"), psnr=12.0, direction=NO_DIRECTION))
    assert forward_success(results)["m"].says == "changed something"
