"""An audit's findings as text, JSON and CSV, with the ranking after their correction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from convergebench.analysis import AuditFinding, Ranking, SharedCases
from convergebench.analysis.round_trip.common_cases import FEWEST_CASES
from convergebench.report.export.csv_files import Row
from convergebench.report.tables.ranking import json_ranking
from convergebench.shown_text import counted


def audit_lines(findings: Sequence[AuditFinding]) -> Iterator[str]:
    """The findings, numbered; or that there are none."""
    if not findings:
        yield "No problems found."
    for number, finding in enumerate(findings, 1):
        yield f"{number}. {finding.sentence}"


def corrected_title(shared: SharedCases) -> str:
    """The scope of the corrected ranking."""
    if not shared.cases:
        return f"No corrected ranking: it needs at least {FEWEST_CASES} shared cases."
    title = f"Corrected: on the {counted(len(shared.cases), 'case')} that these models share"
    if not shared.left_out:
        return f"{title}."
    left_out = ", ".join(f"{model} ({count})" for model, count in shared.left_out.items())
    return f"{title}; excluded for too few cases: {left_out}."


def json_audit(
    findings: Sequence[AuditFinding], shared: SharedCases | None, ranked: Ranking | None
) -> dict[str, Any]:
    """For json.dumps."""
    return {
        "findings": [
            {"kind": one.kind, "count": one.count, "parts": dict(one.parts), "sentence": one.sentence}
            for one in findings
        ],
        "shared_cases": list(shared.cases) if shared else [],
        "left_out": shared.left_out if shared else {},
        "ranking": json_ranking(ranked) if ranked else None,
    }


def csv_audit(findings: Sequence[AuditFinding]) -> list[Row]:
    """A heading, then one row per finding."""
    return [("kind", "count", "sentence"), *((one.kind, one.count, one.sentence) for one in findings)]
