"""The built-in suite: the catalogue's pictures, each with the edits that suit it."""

from __future__ import annotations

from collections.abc import Sequence

from convergebench.errors import DownloadFailed, WrongUse
from convergebench.packaged_files import PackagedFile
from convergebench.suites._info import OnPackage, SuiteInfo
from convergebench.suites._pairs import cases_of
from convergebench.suites.catalogue import CataloguedPicture, pictures, prepare
from convergebench.types import Case, Suite

ORIGINS = ("photo", "rendered")


def _load(on_package: OnPackage, origin: str = "") -> Suite:
    """All pictures, or the pictures of one origin: `converge?origin=rendered` needs no network."""
    if origin not in ("", *ORIGINS):
        raise WrongUse(f"unknown picture origin {origin!r}; choose from {', '.join(ORIGINS)}")
    chosen = [picture for picture in pictures() if origin in ("", picture.origin)]
    return Suite(SUITE.name, SUITE.version, cases_with(chosen, on_package))


def cases_with(chosen: Sequence[CataloguedPicture], on_package: OnPackage) -> tuple[Case, ...]:
    """Every suitable edit of each of these pictures, which are prepared first."""
    try:
        sources = prepare(chosen, on_package)
    except DownloadFailed as error:
        raise DownloadFailed(
            f"{error}. The pictures of converge?origin=rendered and of converge-drawn need no download."
        ) from error
    return tuple(
        case
        for source, picture in zip(sources, chosen, strict=True)
        for case in cases_of(source, edits=picture.edits)
    )


SUITE = SuiteInfo(
    name="converge",
    version="1",
    summary="photographs and rendered pictures, each with the edits that suit it and their undoing",
    pictures=len(pictures()),
    cases=sum(len(picture.edits) for picture in pictures()),
    load=_load,
    files=tuple(one.file for one in pictures() if isinstance(one.file, PackagedFile)),
)
