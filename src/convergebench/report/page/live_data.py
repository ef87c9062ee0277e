"""The page's data for a workspace that may be changing: a snapshot, renewed when it is due."""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from convergebench.analysis import Results
from convergebench.errors import ConvergeBenchError
from convergebench.report.page.change_maps import mean_map
from convergebench.report.page.data_script import script_of
from convergebench.report.page.page_files import PARTS
from convergebench.report.page.page_results import Scope, other_scopes, page_results, single_runs
from convergebench.report.page.picture_cache import PictureCache
from convergebench.report.page.scopes import SCOPES, split_key
from convergebench.report.page.sections import Sections
from convergebench.results import load_results
from convergebench.store import Selection, Workspace
from convergebench.types import SuiteId

_SHORTEST_WAIT_SECONDS = 1.0
_SHARE_OF_TIME = 10
"""Snapshots take at most one tenth of the time, regardless of the size of the workspace."""


class _Snapshot:
    """The sections at one point in time, each built once, by one thread."""

    def __init__(
        self,
        version: int,
        open_run: Callable[[int | None], Workspace],
        results: Results,
        scopes: Sequence[Scope],
        due: float,
    ) -> None:
        self.version = version
        self.due = due
        self.sections = Sections(open_run(None), results, live=True)
        self._open_run = open_run
        self._scopes = [Scope(results.suite, results.protocol), *scopes]
        self._sections = {0: self.sections}
        self._scripts: dict[str, str] = {}
        self._means: dict[tuple[int, int], bytes | None] = {}
        self._guards: defaultdict[Any, threading.Lock] = defaultdict(threading.Lock)

    def sections_of(self, scope: int) -> Sections | None:
        """Built on first use; None if there is no such scope."""
        if not 0 <= scope < len(self._scopes):
            return None
        with self._guards["scope", scope]:
            if scope not in self._sections:
                suite, protocol, run = self._scopes[scope]
                workspace = self._open_run(run)
                results = load_results(workspace, suite, protocol=protocol)
                self._sections[scope] = Sections(workspace, results, live=True)
            return self._sections[scope]

    @property
    def opened(self) -> tuple[Sections, ...]:
        """The scopes that somebody has looked at."""
        return tuple(self._sections.values())

    def script(self, key: str) -> str | None:
        if key == SCOPES:
            return script_of(SCOPES, [one._asdict() for one in self._scopes])
        scope, own = split_key(key)
        sections = self.sections_of(scope)
        if sections is None or own not in sections.keys:
            return None
        with self._guards[key]:
            if key not in self._scripts:
                self._scripts[key] = script_of(key, sections.build(own))
            return self._scripts[key]

    def mean_map(self, scope: int, model: int, picture_cache: PictureCache) -> bytes | None:
        sections = self.sections_of(scope)
        with self._guards[scope, model]:
            if (scope, model) not in self._means:
                self._means[scope, model] = None
                with suppress(ConvergeBenchError):
                    pairs = sections.last_returns(model) if sections else []
                    self._means[scope, model] = mean_map(picture_cache.maps_of(pairs))
            return self._means[scope, model]


class LiveData:
    """Answers the requests of an open page, from several threads."""

    def __init__(self, folder: Path, suite: SuiteId | None = None, models: Sequence[str] = ()) -> None:
        self.workspace = Workspace.existing(folder, Selection(models=tuple(models)))
        self.picture_cache = PictureCache(self.workspace.pictures, folder / PARTS)
        self._suite = suite
        self._runs: dict[int, Workspace] = {}
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

    def mean_map(self, model: int, scope: int = 0) -> bytes | None:
        """The mean map of this model's last returns against their sources; None if there is none."""
        with self._guard:
            snapshot = self._snapshot
        return snapshot.mean_map(scope, model, self.picture_cache)

    def breakage(self, name: str) -> bytes | None:
        """What broke in a return, drawn, by the name that its data has; None if it is unknown."""
        with self._guard:
            snapshot = self._snapshot
        with suppress(ConvergeBenchError):
            found = (one.breakage(name, self.picture_cache) for one in snapshot.opened)
            return next(filter(None, found), None)
        return None

    def export(self, name: str) -> bytes | None:
        """A strip as a file, by the name that its data has; None if it is unknown."""
        with self._guard:
            snapshot = self._snapshot
        with suppress(ConvergeBenchError):
            found = (one.export(name, self.picture_cache) for one in snapshot.opened)
            return next(filter(None, found), None)
        return None

    def close(self) -> None:
        self._closing.set()
        if self._preparing.is_alive():
            self._preparing.join()
        for opened in (self.workspace, *self._runs.values()):
            opened.close()

    def _take_snapshot(self) -> _Snapshot:
        began = time.monotonic()
        version = self.workspace.data_version
        results = page_results(self.workspace, self._suite)
        taken = time.monotonic() - began
        due = began + max(_SHORTEST_WAIT_SECONDS, _SHARE_OF_TIME * taken)
        scopes = [] if self._suite else other_scopes(self.workspace, results)
        return _Snapshot(
            version, self._open_run, results, [*scopes, *single_runs(self.workspace, results)], due
        )

    def _open_run(self, run: int | None) -> Workspace:
        """The workspace, or what one run edited in it."""
        if run is None:
            return self.workspace
        if run not in self._runs:
            chosen = replace(self.workspace.selection, runs=(run,))
            self._runs[run] = Workspace.existing(self.workspace.folder, chosen)
        return self._runs[run]
