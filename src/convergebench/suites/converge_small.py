"""Twelve pictures of `converge`, of all kinds, for a quick start: most are included in this package."""

from __future__ import annotations

from convergebench.packaged_files import PackagedFile
from convergebench.suites._info import OnPackage, SuiteInfo
from convergebench.suites.catalogue import pictures
from convergebench.suites.converge import cases_with
from convergebench.types import Suite

_NAMES = (
    "portrait_astronaut", "portrait_hopper", "object_coffee", "object_fruit_bowl", "object_tea_for_two",
    "object_teddy_bear", "object_leather_armchair", "scene_kitchen_corner", "scene_living_room_evening",
    "scene_lake_with_rowboat", "scene_brick_house_evening", "scene_terrace_with_chairs",
)  # fmt: skip
_CHOSEN = tuple(picture for picture in pictures() if picture.id in _NAMES)


def _load(on_package: OnPackage) -> Suite:
    return Suite(SUITE.name, SUITE.version, cases_with(_CHOSEN, on_package))


SUITE = SuiteInfo(
    name="converge-small",
    version="1",
    summary="twelve pictures of converge, for a first look",
    pictures=len(_CHOSEN),
    cases=sum(len(picture.edits) for picture in _CHOSEN),
    load=_load,
    files=tuple(one.file for one in _CHOSEN if isinstance(one.file, PackagedFile)),
)
