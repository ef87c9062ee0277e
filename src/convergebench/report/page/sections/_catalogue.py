"""Which sections the page has, and all of their data by key."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from typing import Any

from convergebench import plugins
from convergebench.analysis import Results
from convergebench.errors import WorkspaceError, WrongUse
from convergebench.report.page.exports import EXPORT_KINDS
from convergebench.report.page.filmstrips import last_returns
from convergebench.report.page.overview import cases_of
from convergebench.report.page.page_data import PageData
from convergebench.report.page.page_picture import PagePicture
from convergebench.report.page.picture_cache import PictureCache
from convergebench.report.page.sections._section import Builders, PageSection
from convergebench.store import Workspace
from convergebench.types import Digest

ENTRY_POINTS = "convergebench.page_sections"
_NAVIGATION = "navigation"


@cache
def page_sections() -> tuple[PageSection, ...]:
    """In the order of the navigation."""
    found = plugins.registered("convergebench.report.page.sections", ENTRY_POINTS, PageSection)
    return tuple(sorted(found, key=lambda section: section.order))


class Sections:
    """The data of every section, of one suite in a workspace."""

    def __init__(self, workspace: Workspace, results: Results, *, live: bool = False) -> None:
        self._data = PageData(workspace, results, live=live)
        self._pictures = {name: find for one in page_sections() for name, find in one.pictures.items()}
        self._builders: Builders = {_NAVIGATION: self._navigation}
        for section in page_sections():
            self._add(section)

    def _add(self, section: PageSection) -> None:
        builders = section.builders(self._data)
        twice = sorted(builders.keys() & self._builders.keys())
        if twice:
            raise WrongUse(f"two sections of the page have data called {twice[0]!r}, one is {section.key!r}")
        self._builders |= builders

    def _navigation(self) -> list[dict[str, Any]]:
        return [
            {
                "key": section.key,
                "title": section.title,
                "needs_rounds": section.needs_rounds,
                "is_there": section.is_there(self._data),
            }
            for section in page_sections()
        ]

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(self._builders)

    def prepared(self) -> tuple[list[str], list[str]]:
        """What a live page builds before it opens, the first section's data, and what soon after."""
        first, *others = page_sections()
        soon = (key for section in others for key in section.prepared)
        return (
            [key for key in (_NAVIGATION, *first.prepared) if key in self._builders],
            [key for key in soon if key in self._builders],
        )

    def build(self, key: str) -> Any:
        """The data for json.dumps, but for infinite numbers."""
        if key not in self._builders:
            raise WrongUse(f"the page has no data called {key!r}")
        return self._builders[key]()

    def shows_pictures(self, key: str) -> bool:
        return key.partition("/")[0] in self._pictures

    def pictures_in(self, key: str, data: Any) -> list[PagePicture]:
        """The pictures that must lie beside the page for this data."""
        return list(self._pictures[key.partition("/")[0]](data)) if self.shows_pictures(key) else []

    def keep_breakages(self, picture_cache: PictureCache) -> None:
        """Draw what broke in the returns whose data names a drawing."""
        picture_cache.keep_breakages(self._data.breakages.values(), self._data.footprints)

    def keep_exports(self, picture_cache: PictureCache) -> None:
        """Write the strips that the data offers."""
        for one in self._data.exports.values():
            for kind in EXPORT_KINDS:
                with suppress(WorkspaceError):  # a missing picture is reported with its thumbnail
                    picture_cache.export_of(one, kind)

    def export(self, name: str, picture_cache: PictureCache) -> bytes | None:
        """One of these files by its name; None if it is unknown."""
        stem, _, suffix = name.partition(".")
        for one in self._data.exports.values():
            for kind in EXPORT_KINDS:
                if (one.name, kind) == (stem, suffix):
                    return picture_cache.export_of(one, kind)
        return None

    def breakage(self, name: str, picture_cache: PictureCache) -> bytes | None:
        """One of these drawings by its file name; None if it is unknown."""
        for one in self._data.breakages.values():
            if one.name == name:
                return picture_cache.breakage_of(one, self._data.footprints)
        return None

    @property
    def models(self) -> int:
        return len(self._data.results.roles())

    def last_returns(self, model: int) -> list[tuple[Digest, Digest]]:
        """Sources and last returns of one model's complete trajectories, of the edits that are ranked."""
        results = self._data.results
        cases = {number for number, case in enumerate(cases_of(results)) if case.edits == results.edits}
        return last_returns(self._data.pictures, model, cases)
