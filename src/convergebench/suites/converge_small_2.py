"""Twelve pictures of `converge@2`, of which four are portraits."""

from __future__ import annotations

from convergebench.packaged_files import PackagedFile
from convergebench.suites._info import OnPackage, SuiteInfo
from convergebench.suites.catalogue import megapixel_pictures
from convergebench.suites.converge import cases_with
from convergebench.types import Suite

_NAMES = (
    "portrait_astronaut", "portrait_man_in_blue", "portrait_woman_with_curls", "portrait_old_woman_at_table",
    "object_coffee", "object_fruit_bowl", "object_teddy_bear", "object_leather_armchair",
    "scene_kitchen_corner", "scene_living_room_evening", "scene_lake_with_rowboat",
    "scene_terrace_with_chairs",
)  # fmt: skip
_CHOSEN = tuple(picture for picture in megapixel_pictures() if picture.id in _NAMES)


def _load(on_package: OnPackage) -> Suite:
    return Suite(SUITE.name, SUITE.version, cases_with(_CHOSEN, on_package))


SUITE = SuiteInfo(
    name="converge-small",
    version="2",
    summary="twelve pictures of converge@2, for a first look",
    pictures=len(_CHOSEN),
    cases=sum(len(picture.edits) for picture in _CHOSEN),
    load=_load,
    files=tuple(one.file for one in _CHOSEN if isinstance(one.file, PackagedFile)),
    is_current=False,
)
