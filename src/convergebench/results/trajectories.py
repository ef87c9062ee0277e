"""Trajectories with their editors and cases."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from convergebench.analysis.round_trip.results import Role
from convergebench.results.generations import chosen_generations, ids_in
from convergebench.results.model_labels import unique_labels, without_address
from convergebench.store import Workspace, read_model_names
from convergebench.suites import reversibility_of
from convergebench.types import Digest, Reversibility, SuiteId, fingerprint_of

_TRAJECTORIES = """
    SELECT t.id, t.protocol, t.editor, t.seed, t.rounds,
           c.fingerprint, c.suite, c.id AS case_id, c.picture, c.pair, c.category, c.kind, c.language,
           c.forward, c.backward, c.hints
    FROM trajectories t JOIN cases c ON c.fingerprint = t.case_fingerprint
"""


@dataclass(frozen=True)
class EditorRecord:
    """An editor as recorded when it ran."""

    fingerprint: Digest
    name: str
    """Of the editor, with its parameters; a model that was given a name keeps this one too."""
    label: str
    """The given name, or else the editor's without addresses, made unique in the workspace."""
    version: str
    role: Role
    parameters: Mapping[str, Any]
    given_name: str = ""

    @property
    def shown_name(self) -> str:
        """The editor's own, without the address of its server."""
        return without_address(self.name)

    @property
    def names(self) -> frozenset[str]:
        """All by which it can be selected. Those but the label may be those of others, too."""
        every = (self.label, self.name, self.shown_name, self.given_name)
        return frozenset(name for name in every if name)

    def is_one_of(self, models: Collection[str]) -> bool:
        """Whether these names select this editor; no names select all."""
        return not models or not self.names.isdisjoint(models)


@dataclass(frozen=True)
class CaseRecord:
    """A case as a member of one suite."""

    fingerprint: Digest
    suite: SuiteId
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
    def suite_part(self) -> SuiteId:
        """The suite, followed by /partial if the case is only partially reversible."""
        return self.suite.of_edits(partial=self.reversibility != "reversible")

    def content(self, sources: Sequence[Digest]) -> Digest:
        """Identifies what is edited by its sources and instructions, whatever case and suite are called."""
        several = self.pair if self.suite.part else ""  # only the first is in the record
        return _content(tuple(sources), self.forward, self.backward, several)


@lru_cache(65536)
def _content(sources: tuple[Digest, ...], forward: str, backward: str | None, several: str) -> Digest:
    return fingerprint_of(sources, forward, backward, several)


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
    """Whether it is the generation to read: no run with --fresh has restarted it, unless an earlier one is
    selected."""

    @property
    def model(self) -> str:
        return self.editor.label


def read_editors(workspace: Workspace) -> dict[Digest, EditorRecord]:
    """Every editor of the workspace, by fingerprint, in the order of their first trajectories."""
    rows = workspace.query("SELECT fingerprint, name, version, role, parameters FROM editors ORDER BY rowid")
    given = read_model_names(workspace)
    names = {row["fingerprint"]: without_address(row["name"]) for row in rows}
    labels = unique_labels({**names, **{one: name for one, name in given.items() if one in names}})
    return {
        fingerprint: EditorRecord(
            fingerprint, name, labels[fingerprint], version, role, json.loads(parameters),
            given.get(fingerprint, ""),
        )
        for fingerprint, name, version, role, parameters in rows
    }  # fmt: skip


def read_trajectories(
    workspace: Workspace, editors: Mapping[Digest, EditorRecord], only: Collection[int] | None = None
) -> list[TrajectoryRecord]:
    """All trajectories, or those with these ids, by id and suite; every generation."""
    which = "" if only is None else f"WHERE t.id IN ({ids_in(only)})"
    chosen = chosen_generations(workspace, only)
    cases: dict[tuple[Digest, str], CaseRecord] = {}
    found = []
    for row in workspace.query(f"{_TRAJECTORIES} {which} ORDER BY t.id, c.suite"):
        identity, protocol, editor, seed, rounds, fingerprint, suite, *case = row
        if editor not in editors:
            continue  # another process started its first trajectory after the editors were read
        if (fingerprint, suite) not in cases:
            *texts, hints = case
            cases[fingerprint, suite] = CaseRecord(*(fingerprint, SuiteId(suite), *texts, json.loads(hints)))
        found.append(
            TrajectoryRecord(
                identity, protocol, editors[editor], cases[fingerprint, suite], seed, rounds,
                identity in chosen,
            )
        )  # fmt: skip
    return found
