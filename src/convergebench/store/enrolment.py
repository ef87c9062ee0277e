"""Trajectories to run, entered into the database with their editors and cases."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass

from convergebench.store.timestamp import timestamp
from convergebench.types import FINAL_FAILURES, Case, EditorFacts, SuiteId

_FINAL = ", ".join(f"'{kind}'" for kind in sorted(FINAL_FAILURES))
_NEWEST = f"""
    SELECT generation, EXISTS (
            SELECT 1 FROM steps WHERE trajectory = t.id AND (picture IS NOT NULL OR failure IN ({_FINAL}))
        ) OR EXISTS (SELECT 1 FROM looks WHERE trajectory = t.id) AS begun
    FROM trajectories t WHERE protocol = ? AND editor = ? AND case_fingerprint = ? AND seed = ?
    ORDER BY generation DESC LIMIT 1
"""


@dataclass(frozen=True)
class Enrolment:
    """A trajectory to run: this editor on this case, with this seed, for this number of rounds."""

    protocol: str
    suite: SuiteId
    editor: EditorFacts
    case: Case
    seed: int
    rounds: int


def enrol_one(db: sqlite3.Connection, wanted: Enrolment, fresh: bool) -> int:
    """The id of its trajectory: the existing one, or a new generation if `fresh` and the newest has a result.

    Where nothing but outages is on record, the next attempt belongs to the same generation: the one before it
    stays the previous one.
    """
    editor, case = wanted.editor, wanted.case
    db.execute(
        "INSERT OR IGNORE INTO editors VALUES (?, ?, ?, ?, ?)",
        (editor.fingerprint, editor.name, editor.version, json.dumps(dict(editor.parameters)), editor.role),
    )
    if editor.label:
        db.execute(
            "INSERT OR REPLACE INTO model_names VALUES (?, ?, ?)",
            (editor.fingerprint, editor.label, timestamp()),
        )
    db.execute(
        "INSERT INTO case_facts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
        "ON CONFLICT DO UPDATE SET category = excluded.category, hints = excluded.hints",
        (case.fingerprint, case.id, case.source.id, case.pair, case.category, case.kind,
         case.language, case.forward, case.backward, json.dumps(dict(case.hints))),
    )  # fmt: skip
    # Suites share cases; an edit for one of them counts for all.
    db.execute("INSERT OR IGNORE INTO suite_cases VALUES (?, ?)", (case.fingerprint, wanted.suite))
    key = (wanted.protocol, editor.fingerprint, case.fingerprint, wanted.seed)
    newest = db.execute(_NEWEST, key).fetchone()
    generation = 0 if newest is None else newest["generation"] + (fresh and newest["begun"])
    (identity,) = db.execute(
        "INSERT INTO trajectories (protocol, editor, case_fingerprint, seed, generation, rounds) "
        "VALUES (?, ?, ?, ?, ?, ?) "
        "ON CONFLICT DO UPDATE SET rounds = max(rounds, excluded.rounds) RETURNING id",
        (*key, generation, wanted.rounds),
    ).fetchone()
    return int(identity)
