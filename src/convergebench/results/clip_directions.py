"""CLIP directions of forward edits, stored by input, output and the captions of the instruction."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from convergebench.instructions.captions import captions, written_captions
from convergebench.metrics.clip_direction import NAME, NO_CAPTIONS, Captions, texts_id
from convergebench.store import Workspace
from convergebench.suites.own_edits import CAPTION_BEFORE
from convergebench.types import Digest, Measurement


@dataclass(frozen=True)
class ClipDirections:
    values: Mapping[tuple[Digest, Digest, str], Measurement]
    """By input, output and the id of the captions."""
    written: Mapping[str, Captions]
    """Captions that users wrote, by instruction."""

    def of(self, given: Digest | None, made: Digest | None, instruction: str) -> dict[str, Measurement]:
        """The direction by its name; empty if it was not measured, missing if it is undefined."""
        if given is None or made is None or not self.values:
            return {}
        texts = captions(instruction, self.written)
        if texts is None:
            return {NAME: Measurement(NAME, "", None, NO_CAPTIONS)}
        found = self.values.get((given, made, texts_id(texts)))
        return {} if found is None else {NAME: found}


NO_DIRECTIONS = ClipDirections({}, {})


def clip_directions(workspace: Workspace) -> ClipDirections:
    """All directions in the workspace for the newest weights."""
    sql = "SELECT reference, picture, version, value, missing FROM measurements WHERE metric = ? ORDER BY at"
    rows = [(row, *version_parts(row["version"])) for row in workspace.query(sql, NAME)]
    newest = rows[-1][1] if rows else None
    return ClipDirections(
        {
            (row["reference"], row["picture"], texts): Measurement(
                NAME, row["version"], row["value"], row["missing"]
            )
            for row, weights, texts in rows
            if weights == newest
        },
        _written(workspace),
    )


def version_parts(version: str) -> tuple[str, str]:
    """A direction's version without its texts, which differ from edit to edit, and the id of the texts."""
    weights, _, texts = version.rpartition(":")
    return weights, texts


def _written(workspace: Workspace) -> dict[str, Captions]:
    found: dict[str, Captions] = {}
    for forward, hints in workspace.query(
        "SELECT forward, hints FROM case_facts WHERE hints LIKE ?", f"%{CAPTION_BEFORE}%"
    ):
        found |= written_captions(forward, json.loads(hints))
    return found
