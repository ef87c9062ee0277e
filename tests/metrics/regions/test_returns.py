"""Drawn chains whose truth is known: each column says it, over a sweep of strengths."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from convergebench.metrics.regions import ReferencePicture, ReturnRegions, locate_edit, measure_return
from convergebench.metrics.regions.measures import edit_trace, undid
from convergebench.types import Pixels
from drawn_chains import (
    HEIGHT,
    LPIPS,
    RED,
    WIDTH,
    DrawnChain,
    disc_mask,
    levels,
    moved,
    noised,
    painted,
    room,
    tinted,
)

ROOM = room()
DISC = disc_mask()
FORWARD = painted(ROOM, DISC)
NO_EDIT = "the forward picture shows no edit"


def of_return(returned: Pixels, forward: Pixels = FORWARD) -> ReturnRegions:
    return DrawnChain(ROOM).round(forward, returned)


def test_a_return_measures_the_same_as_pixels_and_as_the_input_of_the_next_round() -> None:
    chain, returned = DrawnChain(ROOM), noised(FORWARD, 3)
    edit = chain.located(FORWARD)
    kept = chain.reference.like(returned)
    assert measure_return(chain.reference, edit, kept) == measure_return(chain.reference, edit, returned)
    again = locate_edit(kept, painted(returned, DISC), "local")
    fresh = locate_edit(chain.reference.like(returned), painted(returned, DISC), "local")
    assert again.footprint.to_bytes() == fresh.footprint.to_bytes()


def falls(values: list[float]) -> bool:
    return all(later < earlier for earlier, later in pairwise(values))


def number(reading: float | str) -> float:
    assert not isinstance(reading, str), reading
    return reading


def restored_disc(worn: Pixels) -> Pixels:
    """The rest is worn, the place of the edit is the source's."""
    result = worn.copy()
    around = cv2.dilate(DISC.astype(np.uint8), np.ones((13, 13), np.uint8)) > 0
    result[around] = ROOM[around]
    return result


def test_a_return_that_is_the_source_has_every_perfect_value() -> None:
    found = of_return(ROOM)
    assert (found.undid, found.left_behind, found.kept, found.kept_registered) == (1, 0, 1, 1)
    assert (found.collateral, found.rewritten, found.flip, found.flip_peak, found.flip_area) == (
        0,
        0,
        0,
        0,
        0,
    )


def test_an_edit_that_stayed_is_left_behind_and_not_undone_and_the_rest_is_kept() -> None:
    found = of_return(FORWARD)
    assert found.left_behind == 1
    assert number(found.undid) < 0.35
    assert number(found.kept) > 0.995


@pytest.mark.parametrize("share", [0.1, 0.25, 0.5, 0.75, 0.9])
def test_a_part_that_stayed_is_left_behind_by_its_share(share: float) -> None:
    across = np.mgrid[:HEIGHT, :WIDTH][1]
    stayed = DISC & (across <= np.quantile(across[DISC], share))
    found = of_return(painted(ROOM, stayed))
    assert found.left_behind == pytest.approx(share, abs=0.08)
    assert number(found.kept) > 0.995


def test_the_more_stays_the_less_was_undone() -> None:
    radii = [0, 6, 10, 14, 18]
    undone = [number(of_return(painted(ROOM, disc_mask(radius=radius))).undid) for radius in radii]
    assert falls(undone)
    assert undone[0] > 0.6  # a single red pixel


def fill(strength: float) -> Pixels:
    """The disc is gone; in its place is the same wall with a texture that the source does not have."""
    y, x = np.mgrid[:HEIGHT, :WIDTH]
    texture = strength * np.sin(x / 2.5) * np.sin(y / 2.5)
    plain = cv2.GaussianBlur(ROOM, (0, 0), 6).astype(np.float64) + texture[..., None]
    return np.where(DISC[..., None], levels(plain), ROOM)


def test_a_plausible_fill_is_rewritten_and_not_left_behind() -> None:
    found = [of_return(fill(strength)) for strength in (10, 25, 50)]
    assert falls([number(one.undid) for one in found])
    assert number(found[-1].undid) > number(of_return(FORWARD).undid)
    assert all(one.left_behind == pytest.approx(0, abs=0.05) for one in found)
    assert all(number(one.rewritten) > 0.2 for one in found)
    assert all(number(one.kept) > 0.99 for one in found)


@pytest.mark.parametrize("radius", [8, 12, 18])
def test_smeared_texture_of_the_right_colour_is_not_undone(radius: int) -> None:
    """By ꟻLIP alone it was: a blurred floor, or eyes that are gone, differ little in colour."""
    boards = room(seed=3)
    y, x = np.mgrid[:HEIGHT, :WIDTH]
    boards = levels(boards * 0.5 + 80 + 22 * np.sign(np.sin(x / 1.5 + y / 4))[..., None])
    disc = disc_mask(radius=radius)
    smeared = np.where(disc[..., None], cv2.GaussianBlur(boards, (0, 0), 5), boards)
    found = DrawnChain(boards).round(painted(boards, disc), smeared)
    assert number(found.undid) < 0.5
    assert found.left_behind == pytest.approx(0, abs=0.1)
    assert number(found.kept) > 0.99


def ghost(opacity: float) -> Pixels:
    """What the edit added is still there, pale."""
    return levels(ROOM + opacity * (FORWARD.astype(np.float64) - ROOM))


def test_a_pale_ghost_of_the_edit_is_not_undone_though_it_looks_more_like_the_input() -> None:
    found = [of_return(ghost(opacity)) for opacity in (0, 0.1, 0.2, 0.4)]
    assert falls([number(one.undid) for one in found])
    assert number(found[2].undid) < 0.45
    assert number(found[-1].undid) <= 0.25
    assert number(found[2].left_behind) == pytest.approx(0, abs=0.05)


@given(st.integers(-40, 40), st.integers(-40, 40), st.integers(-40, 40))
@settings(max_examples=20, deadline=None)
def test_a_cast_of_the_whole_picture_is_no_trace_of_the_edit(red: int, green: int, blue: int) -> None:
    change = np.where(DISC[..., None], FORWARD.astype(np.int16) - ROOM, 0).astype(np.int16)
    cast = np.broadcast_to(np.array([red, green, blue], np.int16), change.shape)
    assert edit_trace(cast, change, DISC, ~DISC) == 0
    assert edit_trace(cast + change // 4, change, DISC, ~DISC) == pytest.approx(0.25, abs=0.02)


def test_noise_in_the_rest_costs_the_rest_and_nothing_else() -> None:
    found = [of_return(restored_disc(noised(ROOM, sigma))) for sigma in (2, 8, 16, 32)]
    assert falls([number(one.kept) for one in found])
    assert number(found[0].kept) > 0.99
    assert number(found[-1].kept) < 0.7
    assert all(number(one.undid) > 0.97 for one in found)
    assert all(number(one.left_behind) < 0.02 for one in found)


def test_a_tint_of_the_rest_costs_the_rest_and_nothing_else() -> None:
    found = [of_return(restored_disc(tinted(ROOM, amount))) for amount in (1, 4, 8, 16)]
    assert falls([number(one.kept) for one in found])
    assert number(found[0].kept) > 0.99
    assert number(found[-1].kept) < 0.1
    assert number(found[-1].collateral) > 0.95
    assert all(number(one.undid) > 0.95 for one in found)


def test_a_shift_costs_the_rest_until_it_is_registered() -> None:
    shifts = (0.5, 1, 2, 5)
    found = [of_return(moved(ROOM, shift, -shift / 2)) for shift in shifts]
    assert falls([number(one.kept) for one in found])
    assert all(number(one.kept_registered) > 0.97 for one in found)
    assert all(one.left_behind == pytest.approx(0, abs=0.1) for one in found)


@pytest.mark.parametrize("zoom", [0.9, 0.95, 1.06])
def test_a_reframed_picture_is_told_from_a_changed_one(zoom: float) -> None:
    found = of_return(moved(ROOM, 3, 2, zoom))
    assert number(found.kept) < 0.8
    assert number(found.kept_registered) > 0.93
    assert found.left_behind == pytest.approx(0, abs=0.15)
    assert 0.1 < number(found.undid) < 0.97, "neither forgiven nor lost"


@given(*[st.floats(0, 1)] * 3)
def test_what_was_undone_lies_between_both_ways_to_look_but_for_a_trace(
    as_it_is: float, registered: float, trace: float
) -> None:
    found = undid(as_it_is, registered, trace=0.0)
    assert as_it_is - 1e-9 <= found <= max(as_it_is, registered) + 1e-9
    assert undid(as_it_is, registered, trace) <= found
    assert undid(1.0, 1.0, trace) == pytest.approx(1 - 0.75 * min(max((trace - 0.05) / 0.2, 0), 1))


def test_a_part_that_moved_alone_does_not_lower_the_registered_value() -> None:
    returned = ROOM.copy()
    returned[10:110, 6:100] = ROOM[4:104, 12:106]
    found = of_return(returned)
    if not isinstance(found.kept_registered, str):
        assert found.kept_registered >= number(found.kept)


def test_an_edit_that_did_nothing_has_no_footprint_and_says_why_values_are_missing() -> None:
    found = of_return(noised(ROOM, 4), forward=noised(ROOM, 4))
    assert found.footprint == 0
    assert found.undid == found.left_behind == found.rewritten == NO_EDIT
    assert number(found.kept) > 0.97


def test_a_local_edit_of_more_than_half_of_the_picture_has_kept_nothing() -> None:
    forward = np.ascontiguousarray(255 - room(seed=5))
    found = of_return(ROOM, forward)
    assert (found.kept, found.kept_registered) == (0, 0)
    assert found.undid == 1


def test_a_global_edit_is_undone_everywhere_and_leaves_no_rest() -> None:
    tones = [number(DrawnChain(ROOM, "global").round(tinted(ROOM, 40), tinted(ROOM, left)).undid)
             for left in (0, 10, 20, 40)]  # fmt: skip
    assert falls(tones)
    assert tones[0] == 1
    assert tones[-1] < 0.1
    found = DrawnChain(ROOM, "global").round(tinted(ROOM, 40), tinted(ROOM, 20))
    assert found.kept == found.kept_registered == found.collateral == "a global edit leaves no rest"


@pytest.mark.parametrize("undone", [True, False])
def test_a_flip_is_undone_or_left_behind(undone: bool) -> None:
    flipped = np.ascontiguousarray(ROOM[:, ::-1])
    found = DrawnChain(ROOM, "global").round(flipped, ROOM if undone else flipped)
    assert found.left_behind == (0 if undone else 1)
    assert (found.undid == 1) is undone
    assert found.kept == found.kept_registered == found.collateral == "a global edit leaves no rest"


OTHER = disc_mask((112, 40), 12)


def test_damage_where_an_earlier_round_edited_is_not_taken_for_the_rest() -> None:
    chain = DrawnChain(ROOM)
    spoilt = painted(ROOM, DISC, (90, 90, 60))
    first = chain.round(FORWARD, spoilt)
    second = chain.round(painted(spoilt, OTHER), spoilt)
    assert number(first.kept) > 0.995
    assert number(second.kept) > 0.995
    unknown_before = DrawnChain(ROOM).round(painted(ROOM, OTHER), spoilt)
    assert number(unknown_before.kept) < 0.95


def test_what_stayed_is_compared_with_the_input_of_its_own_round() -> None:
    """The first round left its disc there; the second one removed what it had added itself."""
    chain = DrawnChain(ROOM)
    first = chain.round(FORWARD, FORWARD)
    second = chain.round(painted(FORWARD, OTHER), FORWARD)
    assert (first.left_behind, second.left_behind) == (1, 0)


def test_what_an_earlier_round_left_elsewhere_is_still_not_undone() -> None:
    chain = DrawnChain(ROOM)
    first = chain.round(FORWARD, FORWARD)
    second = chain.round(painted(FORWARD, OTHER), FORWARD)
    third = chain.round(painted(FORWARD, OTHER), ROOM)
    share_of_first = first.footprint / (first.footprint + second.footprint)
    assert number(second.undid) == pytest.approx(1 - (1 - number(first.undid)) * share_of_first, abs=0.05)
    assert number(second.kept) > 0.995
    assert third.undid == 1


@pytest.mark.parametrize("place", [(20, 20), (120, 30), (70, 100), (10, 110)])
def test_the_worst_region_is_a_box_on_the_damage(place: tuple[int, int]) -> None:
    box = of_return(painted(ROOM, disc_mask(place, 7))).worst
    inside = np.zeros((HEIGHT, WIDTH), bool)
    inside[box.top : box.top + box.height, box.left : box.left + box.width] = True
    assert inside[disc_mask(place, 5)].mean() > 0.95
    assert box.width == box.height == WIDTH // 4


def test_histograms_hold_every_pixel_once_and_agree_with_the_visible_shares() -> None:
    found = of_return(noised(painted(ROOM, disc_mask(radius=9)), 14))
    assert sum(found.inside) + sum(found.outside) == HEIGHT * WIDTH
    for counts, share in ((found.outside, number(found.collateral)), (found.inside, number(found.rewritten))):
        above, at_least = sum(counts[7:]) / sum(counts), sum(counts[6:]) / sum(counts)
        assert above <= share <= at_least


def test_kept_does_not_depend_on_what_happened_in_the_footprint() -> None:
    """But for the smoothing at its edge."""
    worn = tinted(ROOM, 8)
    kept = [number(of_return(painted(worn, DISC, colour)).kept) for colour in ((0, 0, 0), (250, 250, 250))]
    assert kept[0] == pytest.approx(kept[1], abs=0.01)


def plain_difference(reference: Pixels, pixels_per_degree: float) -> Callable[[Pixels], NDArray[np.float32]]:
    """Quick where visibility does not matter."""
    return lambda result: cv2.absdiff(reference, result).max(axis=2).astype(np.float32) / 255


@settings(max_examples=25, deadline=None)
@given(st.integers(9, 700), st.integers(9, 700), st.sampled_from([0.0, 3.0]))
def test_pictures_of_any_size_and_shape_are_measured(height: int, width: int, shift: float) -> None:
    source = cv2.resize(ROOM, (width, height), interpolation=cv2.INTER_LINEAR)
    forward = source.copy()
    forward[height // 3 : height // 2, width // 3 : width // 2] = RED
    reference = ReferencePicture(source, plain_difference, LPIPS)
    found = measure_return(reference, locate_edit(reference, moved(forward, shift, 0), "local"), source)
    assert (found.undid, found.left_behind, found.kept) in ((1, 0, 1), (NO_EDIT, NO_EDIT, 1), (1, 0, 0))
    assert sum(found.inside) + sum(found.outside) == height * width
    box = found.worst
    assert 0 <= box.left <= width - box.width
    assert 0 <= box.top <= height - box.height
