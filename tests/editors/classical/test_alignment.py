from __future__ import annotations

from dataclasses import replace

import pytest

from convergebench.editors.classical.accessories import ACCESSORIES
from convergebench.editors.classical.alignment import aligned
from convergebench.editors.classical.compositing import composited
from convergebench.editors.classical.objects import OBJECTS
from convergebench.editors.classical.sprites import Pose, Sprite, lay
from convergebench.types import Pixels


def drawn(picture: Pixels, sprite: Sprite, pose: Pose) -> Pixels:
    layer = lay(sprite, pose, *picture.shape[:2])
    assert layer is not None
    return composited(picture, layer)


@pytest.mark.parametrize("thing", OBJECTS)
def test_a_thing_is_found_to_a_fraction_of_a_pixel(scene: Pixels, thing: str) -> None:
    sprite, pose = OBJECTS[thing].draw(), Pose(260.3, 320.6, 120.0)
    rough = Pose(261.5, 319.4, 121.8)
    found = aligned(drawn(scene, sprite, pose), sprite, rough, may_turn=False)
    # Its foot is at the pose's point, its top one size above.
    assert (found.x, found.y) == pytest.approx((pose.x, pose.y), abs=0.6)
    assert (found.x, found.y - found.size) == pytest.approx((pose.x, pose.y - pose.size), abs=0.6)
    assert found.turn == 0


@pytest.mark.parametrize("thing", ["glasses", "sunglasses", "hat", "beard", "mustache"])
def test_what_leans_with_the_head_is_turned_too(portrait: Pixels, thing: str) -> None:
    sprite, pose = ACCESSORIES[thing].draw(), Pose(161.7, 114.2, 98.0, 3.0)
    rough = replace(pose, x=pose.x + 0.8, y=pose.y - 0.7, turn=4.0)
    found = aligned(drawn(portrait, sprite, pose), sprite, rough, may_turn=True)
    assert (found.x, found.y) == pytest.approx((pose.x, pose.y), abs=0.25)
    assert found.turn == pytest.approx(pose.turn, abs=0.25)


def test_a_pose_that_fits_is_kept(scene: Pixels) -> None:
    sprite, pose = OBJECTS["book"].draw(), Pose(240.0, 300.0, 110.0)
    found = aligned(drawn(scene, sprite, pose), sprite, pose, may_turn=False)
    assert (found.x, found.y, found.size) == pytest.approx((240, 300, 110), abs=0.1)
