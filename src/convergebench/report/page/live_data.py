"""The page's data for a workspace that may be changing: a snapshot, renewed when it is due."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from convergebench.errors import ConvergeBenchError
from convergebench.report.page.change_maps import mean_map
from convergebench.report.page.data_script import script_of
from convergebench.report.page.page_files import PARTS
from convergebench.report.page.page_results import page_results
from convergebench.report.page.picture_cache import PictureCache
from convergebench.report.page.sections import Sections
from convergebench.store import Selection, Workspace

_SHORTEST_WAIT_SECONDS = 1.0
_SHARE_OF_TIME = 10
"""Snapshots take at most one tenth of the time, regardless of the size of the workspace."""


class _Snapshot:
    """The sections at one point in time, each built once, by one thread."""

    def __init__(self, version: int, sections: Sections, due: float) -> None:
        self.version = version
        self.sections = sections
        self.due = due
        self._scripts: dict[str, str] = {}
        self._means: dict[int, bytes | None] = {}
        self._guards: dict[str | int, threading.Lock] = {}

    def script(self, key: str) -> str | None:
        if key not in self.sections.keys:
            return None
        with self._guards.setdefault(key, threading.Lock()):
            if key not in self._scripts:
                self._scripts[key] = script_of(key, self.sections.build(key))
            return self._scripts[key]

    def mean_map(self, model: int, picture_cache: PictureCache) -> bytes | None:
        with self._guards.setdefault(model, threading.Lock()):
            if model not in self._means:
                try:
                    self._means[model] = mean_map(picture_cache.maps_of(self.sections.last_returns(model)))
                except ConvergeBenchError:
                    self._means[model] = None
            return self._means[model]


class LiveData:
    """Answers the requests of an open page, from several threads."""

    def __init__(self, folder: Path, suite: str | None = None, models: Sequence[str] = ()) -> None:
        self.workspace = Workspace.existing(folder, Selection(models=tuple(models)))
        self.picture_cache = PictureCache(self.workspace.pictures, folder / PARTS)
        self._suite = suite
        self._guard = threading.Lock()
        self._closing = threading.Event()
        self._preparing = threading.Thread(target=self._prepare_more, daemon=True)
        self._snapshot = self._take_snapshot()

    def prepare(self) -> None:
        """Build the initial sections before the page opens, and others in the background."""
        first, _ = self._snapshot.sections.prepared()
        for key in first:
            self.script(key)
        self._preparing.start()

    def _prepare_more(self) -> None:
        _, soon = self._snapshot.sections.prepared()
        for key in soon:
            with suppress(ConvergeBenchError):
                if not self._closing.is_set():
                    self.script(key)

    def version(self) -> int:
        """A number that changes when there is new data."""
        with self._guard:
            if (
                self.workspace.data_version != self._snapshot.version
                and time.monotonic() >= self._snapshot.due
            ):
                self._snapshot = self._take_snapshot()
            return self._snapshot.version

    def script(self, key: str) -> str | None:
        """The section as a script, or None if the key is unknown."""
        with self._guard:
            snapshot = self._snapshot
        return snapshot.script(key)

    def mean_map(self, model: int) -> bytes | None:
        """The mean map of this model's last returns against their sources; None if there is none."""
        with self._guard:
            snapshot = self._snapshot
        return snapshot.mean_map(model, self.picture_cache)

    def breakage(self, name: str) -> bytes | None:
        """What broke in a return, drawn, by the name that its data has; None if it is unknown."""
        with self._guard:
            snapshot = self._snapshot
        with suppress(ConvergeBenchError):
            return snapshot.sections.breakage(name, self.picture_cache)
        return None

    def close(self) -> None:
        self._closing.set()
        if self._preparing.is_alive():
            self._preparing.join()
        self.workspace.close()

    def _take_snapshot(self) -> _Snapshot:
        began = time.monotonic()
        version = self.workspace.data_version
        results = page_results(self.workspace, self._suite)
        taken = time.monotonic() - began
        due = began + max(_SHORTEST_WAIT_SECONDS, _SHARE_OF_TIME * taken)
        return _Snapshot(version, Sections(self.workspace, results, live=True), due)
