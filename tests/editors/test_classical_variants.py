"""The built-in editors that the demo ranks, on the demo's own cases."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from convergebench.editors import open_editor
from convergebench.errors import WrongUse
from convergebench.picture import Picture
from convergebench.suites import load, select
from convergebench.types import EditRequest, Pixels, Refused

VARIANTS = ("classical-patch", "classical-reencode", "classical-ghost", "classical-reframe")
CASES = {case.id: case for case in select(load("converge-small").cases, limit=12)}
THINGS = [id for id, case in CASES.items() if case.category in ("accessories", "scene_objects")]
VASE = "object_tea_for_two/flower_vase_add_remove"
SEPIA = "object_teddy_bear/sepia_and_back"
FOG = "scene_brick_house_evening/fog_add_remove"
FLIP = "scene_terrace_with_chairs/horizontal_flip"


@dataclass(frozen=True)
class Round:
    source: Pixels
    forward: Pixels
    returned: Pixels


def difference(one: Pixels, other: Pixels, where: NDArray[np.bool_] | slice = slice(None)) -> float:
    return float(np.abs(one.astype(int) - other)[where].mean())


def edited(editor: str, pixels: Pixels, instruction: str, seed: int) -> Pixels:
    request = EditRequest((Picture.from_pixels(pixels),), instruction, seed)
    return asyncio.run(open_editor(editor).edit(request)).picture.pixels


@cache
def rounds(editor: str, case_id: str, count: int = 1) -> tuple[Round, ...]:
    case = CASES[case_id]
    assert case.backward is not None
    done: list[Round] = []
    source = picture = Picture.from_file(case.source.path).pixels
    for number in range(count):
        forward = edited(editor, picture, case.forward, 2 * number)
        picture = edited(editor, forward, case.backward, 2 * number + 1)
        done.append(Round(source, forward, picture))
    return tuple(done)


def footprint(case_id: str) -> NDArray[np.bool_]:
    """Where the forward edit alone changes something visibly."""
    (clean,) = rounds("classical-patch", case_id)
    return np.abs(clean.forward.astype(int) - clean.source).max(axis=2) > 12


def left_behind(editor: str, case_id: str) -> float:
    """How far the first return is from the source within the footprint, in levels."""
    (one,) = rounds(editor, case_id)
    return difference(one.source, one.returned, footprint(case_id))


# classical stays what it was


def test_classical_keeps_its_fingerprint() -> None:
    assert open_editor("classical").facts.fingerprint == "a298e5440051bdc5"


def test_classical_removes_a_vase_as_it_did_before_it_had_variants() -> None:
    grey = rounds("classical", VASE)[0].returned[279:509, 147:337].mean(axis=2)
    cells = cv2.resize(grey, (5, 6), interpolation=cv2.INTER_AREA)
    expected = np.array(
        [
            [82.5, 68.4, 35.8, 17.6, 35.1],
            [73.8, 76.3, 65.7, 62.0, 65.1],
            [92.3, 90.6, 88.3, 82.2, 83.0],
            [89.9, 87.1, 82.6, 80.4, 79.9],
            [86.4, 84.3, 83.6, 80.8, 80.4],
            [81.5, 80.7, 79.7, 77.8, 76.9],
        ]
    )
    # Processors round differently in the last bit.
    assert np.abs(cells - expected).max() < 1
    patch = rounds("classical-patch", VASE)[0].returned[279:509, 147:337].mean(axis=2)
    assert np.abs(cv2.resize(patch, (5, 6), interpolation=cv2.INTER_AREA) - expected).max() > 2


# What every variant does


@pytest.mark.parametrize("case_id", CASES)
@pytest.mark.parametrize("editor", VARIANTS)
def test_every_edit_of_the_demo_is_done_and_at_least_partly_undone(editor: str, case_id: str) -> None:
    (one,), place = rounds(editor, case_id), footprint(case_id)
    done = difference(one.source, one.forward, place)
    assert place.mean() > 0.005
    assert done > 15
    assert left_behind(editor, case_id) < 0.9 * done


@pytest.mark.parametrize("editor", VARIANTS)
def test_the_same_edit_gives_the_same_picture(editor: str) -> None:
    case, (one,) = CASES[VASE], rounds(editor, VASE)
    assert np.array_equal(edited(editor, one.source, case.forward, 0), one.forward)
    assert np.array_equal(edited(editor, one.forward, str(case.backward), 1), one.returned)


# What each is built in to show


def test_patch_leaves_less_behind_than_classical_wherever_it_removes_a_thing() -> None:
    patch, plain = (
        np.array([left_behind(name, id) for id in THINGS]) for name in ("classical-patch", "classical")
    )
    assert len(THINGS) == 6
    assert (patch < plain).all()
    assert (patch < 0.8 * plain).sum() >= 4


def test_patch_undoes_sepia_which_classical_refuses_and_fog_which_it_gets_wrong() -> None:
    assert left_behind("classical-patch", SEPIA) < 3
    with pytest.raises(Refused, match="lost its colours"):
        rounds("classical", SEPIA)
    assert left_behind("classical-patch", FOG) < 0.1 * left_behind("classical", FOG)


def test_patch_changes_nothing_away_from_what_it_edits() -> None:
    (one,) = rounds("classical-patch", VASE)
    near = cv2.dilate(footprint(VASE).astype(np.uint8), np.ones((41, 41), np.uint8)) > 0
    assert np.array_equal(one.returned[~near], one.source[~near])


def test_reencode_wears_the_whole_picture_more_with_every_round() -> None:
    wear = [difference(one.source, one.returned) for one in rounds("classical-reencode", FLIP, 4)]
    assert 1 < wear[0] < wear[1] < wear[2] < wear[3]
    last = rounds("classical-reencode", FLIP, 4)[-1]
    red, green, blue = (last.returned.astype(int) - last.source).mean(axis=(0, 1))
    assert red > green > blue


@pytest.mark.parametrize("case_id", THINGS)
def test_ghost_leaves_a_fifth_of_what_it_removes(case_id: str) -> None:
    ghost, clean = rounds("classical-ghost", case_id)[0], rounds("classical-patch", case_id)[0]
    thing = ghost.forward.astype(float) - clean.returned
    stays = ghost.returned.astype(float) - clean.returned
    assert (thing * stays).sum() / (thing * thing).sum() == pytest.approx(0.2, abs=0.01)


def test_reframe_zooms_as_the_probe_of_that_name_does() -> None:
    (one,) = rounds("classical-reframe", FLIP)
    probe = edited("zoom", edited("zoom", one.source, "", 0), "", 0)
    assert difference(probe, one.returned) < 0.5 < difference(one.source, one.returned)


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("classical-ghost?remainder=1.5", "remainder must be from 0 to 1"),
        ("classical-reencode?quality=0", "quality must be from 1 to 100"),
        ("classical-reframe?zoom=50", "zoom must be from -20 to 20"),
        ("classical-patch?inpainting=magic", "inpainting must be opencv, patch or migan, not magic"),
        ("classical-patch?zoom=1", "classical-patch has no parameter zoom; it takes inpainting"),
    ],
)
def test_a_parameter_out_of_range_is_named(spec: str, said: str) -> None:
    with pytest.raises(WrongUse, match=said.replace("?", r"\?")):
        open_editor(spec)
