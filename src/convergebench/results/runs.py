"""Runs: the command, its settings, and how it ended."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from convergebench.store import Workspace
from convergebench.types import Digest, SuiteId

UNUSABLE = "unusable"
"""The recorded setting with the entries of the suite's data that are no cases: reasons by name."""
LEFT_OUT = "left_out"
"""The recorded setting with an imported folder's chains without a readable source: reasons by case."""


@dataclass(frozen=True)
class RunRecord:
    id: int
    started: str
    finished: str | None
    outcome: str | None
    package: str
    settings: Mapping[str, Any]

    @property
    def is_import(self) -> bool:
        """Whether the run was an import."""
        return self.settings.get("imported") is not None

    def imported(self, digest: Digest, suite: SuiteId) -> bool:
        """Whether it imported the whole file with this digest into this suite."""
        origin = (self.settings.get("digest"), self.settings.get("suite"))
        return self.outcome == "finished" and origin == (digest, suite)


def read_runs(workspace: Workspace) -> list[RunRecord]:
    """In order."""
    sql = "SELECT id, started, finished, outcome, package, settings FROM runs ORDER BY id"
    return [RunRecord(*(*facts, json.loads(settings))) for *facts, settings in workspace.query(sql)]
