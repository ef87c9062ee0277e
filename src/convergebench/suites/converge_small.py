"""Twelve pictures of `converge`, of all kinds, for a quick start: most are included in this package."""

from __future__ import annotations

from collections.abc import Sequence

from convergebench.packaged_files import PackagedFile
from convergebench.suites._info import OnPackage, SuiteInfo
from convergebench.suites.catalogue import CataloguedPicture, pictures
from convergebench.suites.converge import cases_with
from convergebench.types import Suite

NAME = "converge-small"
_NAMES = (
    "portrait_astronaut", "portrait_hopper", "object_coffee", "object_fruit_bowl", "object_tea_for_two",
    "object_teddy_bear", "object_leather_armchair", "scene_kitchen_corner", "scene_living_room_evening",
    "scene_lake_with_rowboat", "scene_brick_house_evening", "scene_terrace_with_chairs",
)  # fmt: skip


def small_suite(
    version: str, summary: str, chosen: Sequence[CataloguedPicture], *, is_current: bool = True
) -> SuiteInfo:
    """A version of the small suite, with these pictures."""

    def load(on_package: OnPackage) -> Suite:
        return Suite(NAME, version, cases_with(chosen, on_package))

    return SuiteInfo(
        name=NAME,
        version=version,
        summary=summary,
        pictures=len(chosen),
        cases=sum(len(picture.edits) for picture in chosen),
        load=load,
        files=tuple(one.file for one in chosen if isinstance(one.file, PackagedFile)),
        is_current=is_current,
    )


SUITE = small_suite(
    "1",
    "twelve pictures of converge, for a first look",
    [picture for picture in pictures() if picture.id in _NAMES],
)
