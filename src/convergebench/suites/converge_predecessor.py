"""The original benchmark's cases on our own pictures, since its pictures cannot be redistributed."""

from __future__ import annotations

from convergebench.suites._info import OnPackage, SuiteInfo
from convergebench.suites._pairs import cases_of, pairs_for
from convergebench.suites._photos import PHOTOS
from convergebench.types import Suite

_PICTURES = ("portrait_astronaut", "portrait_maher", "portrait_giunchedi", "scene_coffee", "scene_china",
             "scene_motorcycle")  # fmt: skip
"""Three portraits and three scenes, as in the original."""
_PHOTOS = tuple(photo for photo in PHOTOS if photo.id in _PICTURES)


def _load(on_package: OnPackage) -> Suite:
    from convergebench.suites._prepared import prepare_photos

    already_shown = {photo.id: photo.already_shown for photo in _PHOTOS}
    return Suite(
        SUITE.name,
        SUITE.version,
        tuple(
            case
            for picture in prepare_photos(_PHOTOS, on_package)
            for case in cases_of(picture, already_shown[picture.id])
        ),
    )


SUITE = SuiteInfo(
    name="converge",
    version="predecessor",
    summary="the original benchmark's 66 cases, on six pictures of ours",
    pictures=len(_PHOTOS),
    cases=sum(len(pairs_for(photo.kind)) for photo in _PHOTOS),
    load=_load,
    files=tuple(photo.file for photo in _PHOTOS),
    is_current=False,
)
