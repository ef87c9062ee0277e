"""Twelve pictures of `converge@2`, of which four are portraits."""

from __future__ import annotations

from convergebench.suites.catalogue import megapixel_pictures
from convergebench.suites.converge_small import small_suite

_NAMES = (
    "portrait_astronaut", "portrait_man_in_blue", "portrait_woman_with_curls", "portrait_old_woman_at_table",
    "object_coffee", "object_fruit_bowl", "object_teddy_bear", "object_leather_armchair",
    "scene_kitchen_corner", "scene_living_room_evening", "scene_lake_with_rowboat",
    "scene_terrace_with_chairs",
)  # fmt: skip

SUITE = small_suite(
    "2",
    "twelve pictures of converge@2, for a first look",
    [picture for picture in megapixel_pictures() if picture.id in _NAMES],
    is_current=False,
)
