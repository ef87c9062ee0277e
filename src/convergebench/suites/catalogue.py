"""The hundred pictures of `converge@1` and `converge@2`: content, origin, and suitable edits.

Photographs come from packages on PyPI, rendered pictures from this package; catalogue.toml in this folder
lists those of version 1, catalogue_2.toml what differs in version 2. Nothing is downloaded or decoded before
`prepare`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from convergebench.packaged_files import PackagedFile
from convergebench.suites._info import OnPackage
from convergebench.suites._photos import Photo
from convergebench.suites._renderings import Rendering
from convergebench.types import Digest, SourcePicture

Kind = Literal["portrait", "object", "scene"]
Origin = Literal["photo", "rendered"]

_HERE = Path(__file__).parent
SMALL_PIXELS = 700_000


@dataclass(frozen=True)
class RenderedFile:
    """A picture included in this package, and the script that created it."""

    name: str
    scene: str
    """The name used by the script in rendering/."""
    seed: int
    sha256: Digest
    folder: str = "rendered"

    @property
    def path(self) -> Path:
        return _HERE / self.folder / self.name


@dataclass(frozen=True)
class CataloguedPicture:
    id: str
    kind: Kind
    description: str
    terms: str
    """The licence and the owner."""
    file: PackagedFile | RenderedFile
    size: tuple[int, int]
    """Width and height of the picture at the start of editing."""
    edits: tuple[str, ...]
    """The pairs that make sense for this picture, by id."""
    already_shown: tuple[str, ...] = ()
    """Pairs left out because their object is already in the picture."""
    crop: tuple[int, int, int, int] | None = None
    """Left, top, right and bottom, in pixels of the packaged file."""

    @property
    def is_small(self) -> bool:
        """Whether it is far below the megapixel that most models work at, so that they enlarge it."""
        return self.size[0] * self.size[1] < SMALL_PIXELS

    @property
    def origin(self) -> Origin:
        return "photo" if isinstance(self.file, PackagedFile) else "rendered"

    @property
    def source(self) -> str:
        """The origin, so that the picture can be found or created again."""
        if isinstance(self.file, PackagedFile):
            return f"{self.file.requirement}, {self.file.member}"
        return f"rendering/render.py {self.file.scene}, seed {self.file.seed}"


@cache
def pictures() -> tuple[CataloguedPicture, ...]:
    """All pictures of version 1, in the order of the catalogue."""
    return tuple(_picture(id, entry) for id, entry in _entries("catalogue.toml").items())


@cache
def megapixel_pictures() -> tuple[CataloguedPicture, ...]:
    """All pictures of version 2: those of version 1 at about one megapixel where they can be had so."""
    first, changes = _entries("catalogue.toml"), _entries("catalogue_2.toml")
    merged = {id: {**first.get(id, {}), **changes.get(id, {})} for id in (*first, *changes)}
    return tuple(_picture(id, entry) for id, entry in merged.items() if not entry.get("removed"))


def _entries(name: str) -> dict[str, dict[str, Any]]:
    with (_HERE / name).open("rb") as file:
        return tomllib.load(file)


def prepare(
    chosen: Sequence[CataloguedPicture], on_package: OnPackage = lambda _: None
) -> tuple[SourcePicture, ...]:
    """The pictures as files to edit, in the given order; `on_package` is called for each download.

    Photographs that were prepared before need no network; rendered pictures never do.
    """
    from convergebench.suites._prepared import prepare_photos, prepare_rendered

    photos = [_as_photo(one, one.file) for one in chosen if isinstance(one.file, PackagedFile)]
    rendered = [_as_rendering(one, one.file) for one in chosen if isinstance(one.file, RenderedFile)]
    ready = (*prepare_rendered(rendered), *prepare_photos(photos, on_package))
    by_id = {source.id: source for source in ready}
    return tuple(by_id[picture.id] for picture in chosen)


def _as_photo(picture: CataloguedPicture, file: PackagedFile) -> Photo:
    crop = picture.crop or (0, 0, *picture.size)
    return Photo(picture.id, picture.kind, picture.description, file, crop, picture.size, picture.terms)


def _as_rendering(picture: CataloguedPicture, file: RenderedFile) -> Rendering:
    return Rendering(picture.id, picture.kind, picture.description, file.path, file.sha256)


def _picture(id: str, entry: dict[str, Any]) -> CataloguedPicture:
    width, height = entry["size"]
    return CataloguedPicture(
        id,
        entry["kind"],
        entry["description"],
        entry["terms"],
        _file(entry),
        (width, height),
        tuple(entry["edits"]),
        tuple(entry.get("already_shown", ())),
        tuple(entry["crop"]) if "crop" in entry else None,
    )


def _file(entry: dict[str, Any]) -> PackagedFile | RenderedFile:
    if entry["origin"] == "photo":
        return PackagedFile(entry["package"], entry["file"], entry["sha256"])
    folder = entry.get("folder", "rendered")
    return RenderedFile(entry["file"], entry["scene"], entry["seed"], entry["sha256"], folder)
