"""What an audit of one suite needs, read from a workspace."""

from __future__ import annotations

import json
from collections import Counter

from convergebench.analysis.round_trip.audit_input import AuditInput, StepTrace
from convergebench.protocols import RETURN_ROLES
from convergebench.results.load_results import load_results_as_given
from convergebench.store import Workspace, imported_rows
from convergebench.types import Digest


def load_audit_input(workspace: Workspace, suite: str | None = None) -> AuditInput:
    """Everything that an audit of one suite needs."""
    results = load_results_as_given(workspace, suite)
    return AuditInput(
        results=results,
        rows=tuple(imported_rows(workspace, results.suite)),
        steps=tuple(_steps(workspace, results.suite)),
        versions=_versions(workspace, results.suite),
    )


def _steps(workspace: Workspace, suite: str) -> list[StepTrace]:
    sql = """
        SELECT s.*, e.name AS model, e.role AS editor_role, c.id AS case_id, t.seed AS chain_seed
        FROM steps s JOIN trajectories t ON t.id = s.trajectory
        JOIN editors e ON e.fingerprint = t.editor JOIN cases c ON c.fingerprint = t.case_fingerprint
        WHERE c.suite = ? AND s.picture IS NOT NULL ORDER BY s.trajectory, s.position
    """
    traces: list[StepTrace] = []
    sizes: dict[Digest, tuple[int, int] | None] = {}
    trajectory, previous, source = None, "", ""
    for row in workspace.query(sql, suite):
        given = json.loads(row["inputs"])[0]
        if row["trajectory"] != trajectory:
            trajectory, previous, source = row["trajectory"], given, given
        if source not in sizes:
            sizes[source] = _size(workspace, source)
        traces.append(
            StepTrace(
                row["model"], row["editor_role"], row["case_id"], row["chain_seed"], row["round"],
                row["role"] in RETURN_ROLES, given, previous, row["picture"], (row["width"], row["height"]),
                sizes[source],
            )
        )  # fmt: skip
        previous = row["picture"]
    return traces


def _size(workspace: Workspace, digest: Digest) -> tuple[int, int] | None:
    from convergebench.errors import ConvergeBenchError

    try:
        return workspace.pictures.load(digest).size
    except ConvergeBenchError:
        return None


def _versions(workspace: Workspace, suite: str) -> dict[str, Counter[str]]:
    sql = """
        SELECT m.metric, m.version, count(*) AS n FROM measurements m
        -- A direction's version names its texts, so it has many by nature.
        WHERE m.value IS NOT NULL AND m.metric != 'clip_direction' AND (m.reference, m.picture) IN (
            SELECT first.inputs ->> 0, s.picture FROM steps s
            JOIN steps first ON first.trajectory = s.trajectory AND first.position = 0
            JOIN trajectories t ON t.id = s.trajectory
            JOIN cases c ON c.fingerprint = t.case_fingerprint
            WHERE c.suite = ? AND s.picture IS NOT NULL)
        GROUP BY m.metric, m.version
    """
    found: dict[str, Counter[str]] = {}
    for row in workspace.query(sql, suite):
        found.setdefault(row["metric"], Counter())[row["version"]] += row["n"]
    return found
