"""A workspace that may be changing: sections as of its last look, gathered anew when it is due."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from convergebench.analysis import Results, gather
from convergebench.errors import WorkspaceError
from convergebench.report.site.script import script_of
from convergebench.report.site.sections import Sections
from convergebench.store import Workspace

_SHORTEST_WAIT_SECONDS = 1.0
_SHARE_OF_TIME = 10
"""Gathering takes at most one tenth of the time, however large the workspace."""


@dataclass
class _Look:
    version: int
    sections: Sections
    due: float
    scripts: dict[str, str] = field(default_factory=dict)


class LiveData:
    """What the page asks for while it is open. It may be asked from several threads."""

    def __init__(self, folder: Path, suite: str | None = None) -> None:
        self.workspace = Workspace.existing(folder)
        self._suite = suite
        self._guard = threading.Lock()
        self._look = self._gathered()

    def prepare(self) -> None:
        """Build what the page opens with, so that it need not wait for it."""
        for key in ("overview", "metric/ssim"):
            self.script(key)

    def version(self) -> int:
        """A number that changes when there is something new to show."""
        with self._guard:
            if self._database_version() != self._look.version and time.monotonic() >= self._look.due:
                self._look = self._gathered()
            return self._look.version

    def script(self, key: str) -> str | None:
        """The section as a script, or None where there is no such section."""
        with self._guard:
            look = self._look
            if key not in look.scripts:
                if key not in look.sections.keys:
                    return None
                look.scripts[key] = script_of(key, look.sections.build(key))
            return look.scripts[key]

    def close(self) -> None:
        self.workspace.close()

    def _gathered(self) -> _Look:
        began = time.monotonic()
        version = self._database_version()
        try:
            results = gather(self.workspace, self._suite)
        except WorkspaceError:
            results = Results(self._suite or "nothing yet", 1, (), (), (), ())
        taken = time.monotonic() - began
        due = began + max(_SHORTEST_WAIT_SECONDS, _SHARE_OF_TIME * taken)
        return _Look(version, Sections(self.workspace, results, live=True), due)

    def _database_version(self) -> int:
        """Changes with every commit of another connection."""
        return int(self.workspace.query("PRAGMA data_version")[0][0])
