"""Trajectories with their editors and cases."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from convergebench.analysis.round_trip.results import Role
from convergebench.results.model_labels import unique_labels
from convergebench.results.suite_id import SuiteId
from convergebench.store import IS_NEWEST, Workspace
from convergebench.suites import reversibility_of
from convergebench.types import Digest, Reversibility

_TRAJECTORIES = f"""
    SELECT t.id, t.protocol, t.editor, t.seed, t.rounds, {IS_NEWEST} AS is_newest,
           c.fingerprint, c.suite, c.id AS case_id, c.picture, c.pair, c.category, c.kind, c.language,
           c.forward, c.backward, c.hints
    FROM trajectories t JOIN cases c ON c.fingerprint = t.case_fingerprint
"""


@dataclass(frozen=True)
class EditorRecord:
    """An editor as recorded when it ran."""

    fingerprint: Digest
    name: str
    label: str
    """The name, made unique among all editors of the workspace."""
    version: str
    role: Role
    parameters: Mapping[str, Any]

    def is_one_of(self, models: Collection[str]) -> bool:
        """Whether the given names select this editor, by label or name; no names select all."""
        return not models or self.label in models or self.name in models


@dataclass(frozen=True)
class CaseRecord:
    """A case as a member of one suite."""

    fingerprint: Digest
    suite: str
    id: str
    picture: str
    """The id of its source: results on cases of one source are not independent of each other."""
    pair: str
    category: str
    kind: str
    language: str
    forward: str
    backward: str | None
    hints: Mapping[str, str]

    @property
    def reversibility(self) -> Reversibility:
        stated: Any = self.hints.get("reversibility")
        return stated or reversibility_of(self.pair)

    @property
    def suite_part(self) -> str:
        """The suite, followed by /partial if the case is only partially reversible."""
        suite = SuiteId.parse(self.suite)
        return str(SuiteId(suite.name, suite.version, suite.part, self.reversibility != "reversible"))


@dataclass(frozen=True)
class TrajectoryRecord:
    """A trajectory under one of the suites that contain its case."""

    id: int
    protocol: str
    editor: EditorRecord
    case: CaseRecord
    seed: int
    rounds: int
    is_newest: bool
    """Whether no run with --fresh has restarted it."""

    @property
    def model(self) -> str:
        return self.editor.label


def read_editors(workspace: Workspace) -> dict[Digest, EditorRecord]:
    """Every editor of the workspace, by fingerprint, in the order of their first trajectories."""
    rows = workspace.query("SELECT fingerprint, name, version, role, parameters FROM editors ORDER BY rowid")
    labels = unique_labels({row["fingerprint"]: row["name"] for row in rows})
    return {
        fingerprint: EditorRecord(
            fingerprint, name, labels[fingerprint], version, role, json.loads(parameters)
        )
        for fingerprint, name, version, role, parameters in rows
    }


def read_trajectories(
    workspace: Workspace, editors: Mapping[Digest, EditorRecord], only: int | None = None
) -> list[TrajectoryRecord]:
    """All trajectories, or the one with this id, by id and suite; every generation."""
    which = "" if only is None else f"WHERE t.id = {only}"
    cases: dict[tuple[Digest, str], CaseRecord] = {}
    found = []
    for row in workspace.query(f"{_TRAJECTORIES} {which} ORDER BY t.id, c.suite"):
        identity, protocol, editor, seed, rounds, is_newest, fingerprint, suite, *case = row
        if editor not in editors:
            continue  # another process started its first trajectory after the editors were read
        if (fingerprint, suite) not in cases:
            *texts, hints = case
            cases[fingerprint, suite] = CaseRecord(*(fingerprint, suite, *texts, json.loads(hints)))
        found.append(
            TrajectoryRecord(
                identity, protocol, editors[editor], cases[fingerprint, suite], seed, rounds, bool(is_newest)
            )
        )
    return found


def trajectory_ids(workspace: Workspace) -> list[int]:
    """Every trajectory, grouped by case."""
    return [
        int(row[0]) for row in workspace.query("SELECT id FROM trajectories ORDER BY case_fingerprint, id")
    ]
