"""How the results came about: runs, editors, versions, failures, and what an audit finds."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict
from typing import Any

from convergebench.analysis import Results, audit, missing_values
from convergebench.metrics import clip_direction
from convergebench.results import load_audit_input
from convergebench.store import Workspace


def runs_section(workspace: Workspace, results: Results) -> dict[str, Any]:
    return {
        "runs": _runs(workspace),
        "editors": _editors(workspace, results.suite),
        "metrics": _metrics(workspace),
        "uses": [asdict(use) for use in results.uses],
        "failures": _failures(results),
        "missing": _missing(results),
        "findings": _findings(workspace, results),
    }


def _findings(workspace: Workspace, results: Results) -> list[dict[str, Any]]:
    """None where nothing has come back, and so nothing can be compared."""
    if not results.uses and not results.returns:
        return []
    return [
        {"sentence": one.sentence, "count": one.count, "parts": list(one.parts.items())}
        for one in audit(load_audit_input(workspace, results.suite))
    ]


def _runs(workspace: Workspace) -> list[dict[str, Any]]:
    """The newest first. Settings are pairs, since names in a page's data may not come from elsewhere."""
    return [
        {
            "id": row["id"],
            "started": row["started"],
            "finished": row["finished"],
            "outcome": row["outcome"],
            "package": row["package"],
            "settings": _pairs(row["settings"]),
        }
        for row in workspace.query("SELECT * FROM runs ORDER BY id DESC")
    ]


def _editors(workspace: Workspace, suite: str) -> list[dict[str, Any]]:
    sql = """
        SELECT DISTINCT e.* FROM editors e JOIN trajectories t ON t.editor = e.fingerprint
        JOIN cases c ON c.fingerprint = t.case_fingerprint WHERE c.suite = ? ORDER BY e.name
    """
    return [
        {
            "name": row["name"],
            "version": row["version"],
            "fingerprint": row["fingerprint"],
            "role": row["role"],
            "parameters": _pairs(row["parameters"]),
        }
        for row in workspace.query(sql, suite)
    ]


def _pairs(text: str) -> list[tuple[str, str]]:
    return [(name, json.dumps(value, ensure_ascii=False)) for name, value in json.loads(text).items()]


def _metrics(workspace: Workspace) -> list[dict[str, Any]]:
    """One line a metric and version; that of clip_direction names the captions too, which are many."""
    sql = """
        SELECT metric, version, count(value) AS measured, count(*) - count(value) AS missing
        FROM measurements GROUP BY metric, version ORDER BY metric, version
    """
    lines: dict[tuple[str, str], dict[str, Any]] = {}
    for row in workspace.query(sql):
        named_captions = row["metric"] == clip_direction.NAME
        version = row["version"].rpartition(":")[0] if named_captions else row["version"]
        line = lines.setdefault(
            (row["metric"], version),
            {"metric": row["metric"], "version": version, "measured": 0, "missing": 0, "captions": 0},
        )
        line["measured"] += row["measured"]
        line["missing"] += row["missing"]
        line["captions"] += named_captions
    return list(lines.values())


def _failures(results: Results) -> list[dict[str, Any]]:
    """Failed edits by model, kind and reason, the most frequent first."""
    counts = Counter((one.model, one.kind_of_failure, one.reason) for one in results.troubles)
    return [
        {"model": model, "kind": kind, "reason": reason, "count": count}
        for (model, kind, reason), count in counts.most_common()
    ]


def _missing(results: Results) -> list[dict[str, Any]]:
    counts: Counter[tuple[str, str, str, str]] = Counter()
    for gap in missing_values(results):
        counts[gap.model, gap.what, gap.kind, gap.reason] += gap.count
    return [
        {"model": model, "what": what, "kind": kind, "reason": reason, "count": count}
        for (model, what, kind, reason), count in counts.most_common()
    ]
