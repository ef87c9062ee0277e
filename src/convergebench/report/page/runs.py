"""The origin of the results: runs, editors, versions, failures, and audit findings."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from convergebench.analysis import Results, audit, missing_values
from convergebench.metrics import clip_direction
from convergebench.results import Records, load_audit_input
from convergebench.results.clip_directions import version_parts
from convergebench.results.measurements import read_version_counts
from convergebench.types import SuiteId


def runs_section(records: Records, results: Results) -> dict[str, Any]:
    return {
        "runs": _runs(records),
        "editors": _editors(records, results.suite),
        "metrics": _metrics(records),
        "uses": [asdict(use) for use in results.uses],
        "failures": _failures(results),
        "missing": _missing(results),
        "findings": _findings(records, results),
    }


def _findings(records: Records, results: Results) -> list[dict[str, Any]]:
    """None if there are no results, so nothing can be compared."""
    if not results.uses and not results.returns:
        return []
    return [
        {"sentence": one.sentence, "count": one.count, "parts": list(one.parts.items())}
        for one in audit(load_audit_input(records, results.suite))
    ]


def _runs(records: Records) -> list[dict[str, Any]]:
    """The newest first. Settings are pairs, since keys in the page's data must not be untrusted text."""
    return [
        {
            "id": run.id,
            "started": run.started,
            "finished": run.finished,
            "outcome": run.outcome,
            "package": run.package,
            "settings": _pairs(run.settings),
        }
        for run in reversed(records.runs)
    ]


def _editors(records: Records, suite: SuiteId) -> list[dict[str, Any]]:
    return [
        {
            "name": editor.label,
            "editor": editor.name,
            "version": editor.version,
            "fingerprint": editor.fingerprint,
            "role": editor.role,
            "parameters": _pairs(editor.parameters),
        }
        for editor in sorted(records.editors_of(suite), key=lambda one: one.name)
    ]


def _pairs(settings: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [(name, json.dumps(value, ensure_ascii=False)) for name, value in settings.items()]


def _metrics(records: Records) -> list[dict[str, Any]]:
    """One row per metric and version. The version of clip_direction includes its many captions."""
    lines: dict[tuple[str, str], dict[str, Any]] = {}
    for one in read_version_counts(records.workspace):
        has_captions = one.metric == clip_direction.NAME
        version = version_parts(one.version)[0] if has_captions else one.version
        line = lines.setdefault(
            (one.metric, version),
            {"metric": one.metric, "version": version, "measured": 0, "missing": 0, "captions": 0},
        )
        line["measured"] += one.measured
        line["missing"] += one.missing
        line["captions"] += has_captions
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
