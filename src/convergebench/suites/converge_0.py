"""The first version of the built-in suite: seventeen photographs and drawn pictures, twenty edits."""

from __future__ import annotations

from convergebench.errors import DownloadFailed
from convergebench.suites._drawings import DRAWINGS
from convergebench.suites._info import OnPackage, SuiteInfo
from convergebench.suites._pairs import cases_of, pairs_for
from convergebench.suites._photos import PHOTOS
from convergebench.types import Suite

_KINDS = [photo.kind for photo in PHOTOS] + [drawing.kind for drawing in DRAWINGS]


def _load(on_package: OnPackage) -> Suite:
    from convergebench.suites._prepared import prepare_drawings, prepare_photos

    try:
        photos = prepare_photos(PHOTOS, on_package)
    except DownloadFailed as error:
        raise DownloadFailed(
            f"{error}. The suite converge-drawn needs no download: its pictures are drawn by this program."
        ) from error
    already_shown = {photo.id: photo.already_shown for photo in PHOTOS}
    pictures = (*photos, *prepare_drawings(DRAWINGS))
    return Suite(
        SUITE.name,
        SUITE.version,
        tuple(case for picture in pictures for case in cases_of(picture, already_shown.get(picture.id, ()))),
    )


SUITE = SuiteInfo(
    name="converge",
    version="0",
    summary="photographs and drawn scenes; accessories, objects, flips and turns, each with its undoing",
    pictures=len(_KINDS),
    cases=sum(len(pairs_for(kind)) for kind in _KINDS),
    load=_load,
    files=tuple(photo.file for photo in PHOTOS),
    is_current=False,
)
