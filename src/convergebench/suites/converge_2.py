"""The built-in suite at the size that models work at: the cases of version 1, at about one megapixel."""

from __future__ import annotations

from convergebench.errors import unknown_name
from convergebench.packaged_files import PackagedFile
from convergebench.suites._info import OnPackage, SuiteInfo
from convergebench.suites.catalogue import megapixel_pictures
from convergebench.suites.converge import ORIGINS, cases_with
from convergebench.types import Suite


def _load(on_package: OnPackage, origin: str = "") -> Suite:
    """All pictures, or the pictures of one origin."""
    if origin and origin not in ORIGINS:
        raise unknown_name("picture origin", origin, ORIGINS)
    chosen = [picture for picture in megapixel_pictures() if origin in ("", picture.origin)]
    return Suite(SUITE.name, SUITE.version, cases_with(chosen, on_package))


SUITE = SuiteInfo(
    name="converge",
    version="2",
    summary="the cases of version 1 at about one megapixel, where their pictures can be had so large",
    pictures=len(megapixel_pictures()),
    cases=sum(len(picture.edits) for picture in megapixel_pictures()),
    load=_load,
    files=tuple(one.file for one in megapixel_pictures() if isinstance(one.file, PackagedFile)),
    is_current=False,
)
