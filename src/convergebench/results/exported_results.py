"""Results from an export: the measurements.csv that `convergebench export` writes."""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from convergebench import metrics
from convergebench.analysis.round_trip.results import FailedStep, Results, Return
from convergebench.errors import WrongUse
from convergebench.protocols import RETURN_ROLES, is_forward
from convergebench.text_files import read_text
from convergebench.types import Measurement, SuiteId

FILE = "measurements.csv"
FAILED_EDIT = "edit"
"""In place of a metric: the edit itself is missing, and the reason begins with the kind of failure."""
_NEEDED = {
    "suite", "model", "editor_role", "case", "picture", "pair", "kind", "category", "reversibility",
    "protocol", "seed", "round", "role", "compared_with", "metric", "version", "value", "missing_reason",
    "digest",
}  # fmt: skip
ExportedRows: TypeAlias = Sequence[Mapping[str, str]]


def read_exported(path: Path) -> ExportedRows:
    """The rows of measurements.csv, by its path or that of its folder."""
    file = path / FILE if path.is_dir() else path
    reader = csv.DictReader(io.StringIO(read_text(file), newline=""))
    if not set(reader.fieldnames or ()) >= _NEEDED:
        raise WrongUse(f"{file} is not an export of measurements; write one with convergebench export")
    rows = []
    for row in reader:
        if not _is_whole(row):
            raise WrongUse(
                f"{file}, line {reader.line_num} is damaged; write it again with convergebench export"
            )
        rows.append(row)
    return rows


def _is_whole(row: Mapping[Any, Any]) -> bool:
    """Whether it has as many cells as the heading, and numbers where they belong."""
    if None in row or None in row.values():
        return False
    try:
        int(row["seed"]), int(row["round"]), float(row["value"] or 0)
    except ValueError:
        return False
    return True


def exported_suites(rows: ExportedRows) -> list[SuiteId]:
    return [SuiteId(name) for name in dict.fromkeys(row["suite"] for row in rows)]


def exported_results(rows: ExportedRows, suite: SuiteId) -> Results:
    """One suite: the edits that can be undone, or the others after /partial."""
    wanted = suite.whole
    chosen = [
        row
        for row in rows
        if row["suite"] == wanted and (row["reversibility"] != "reversible") == suite.partial
    ]
    if not chosen:
        raise WrongUse(
            f"the export has no edits of {suite}; its suites are {', '.join(exported_suites(rows))}"
        )
    returns, troubles = _chains(chosen)
    if not returns and not troubles:
        raise WrongUse(f"the export has no returns of {suite}; it ends early, or has other edits only")
    measured = {name for item in returns for name in item.values}
    return Results(
        suite=wanted,
        rounds=max([*(item.round for item in returns), *(item.round for item in troubles)]),
        metrics=tuple(metrics.facts(name) for name in metrics.names() if name in measured),
        returns=returns,
        troubles=troubles,
        uses=(),
        protocol=chosen[0]["protocol"],
        edits="partially reversible" if suite.partial else "reversible",
    )


def _chains(rows: ExportedRows) -> tuple[tuple[Return, ...], tuple[FailedStep, ...]]:
    values: defaultdict[tuple[Any, ...], dict[str, Measurement]] = defaultdict(dict)
    forwards: defaultdict[tuple[Any, ...], dict[str, dict[str, Measurement]]] = defaultdict(dict)
    first: dict[tuple[Any, ...], Mapping[str, str]] = {}
    failed: list[tuple[tuple[Any, ...], Mapping[str, str]]] = []
    for row in rows:
        key = (row["model"], row["case"], int(row["seed"]), int(row["round"]))
        if row["metric"] == FAILED_EDIT:
            failed.append((key, row))
        elif row["role"] in RETURN_ROLES and row["compared_with"] != "previous return":
            values[key][row["metric"]] = _measurement(row)
            first.setdefault(key, row)
        elif is_forward(row["role"]):
            forwards[key].setdefault(row["digest"], {})[row["metric"]] = _measurement(row)
    edits = {key: tuple(found.values()) for key, found in forwards.items()}
    return (
        tuple(_return(row, values[key], edits.get(key, ())) for key, row in first.items()),
        tuple(_failed(row, () if is_forward(row["role"]) else edits.get(key, ())) for key, row in failed),
    )


def _measurement(row: Mapping[str, str]) -> Measurement:
    value = float(row["value"]) if row["value"] else None
    return Measurement(row["metric"], row["version"], value, row["missing_reason"] or None)


def _return(
    row: Mapping[str, Any], values: dict[str, Measurement], forwards: tuple[dict[str, Measurement], ...]
) -> Return:
    return Return(
        model=row["model"], role=row["editor_role"], case=row["case"], picture=row["picture"],
        pair=row["pair"], kind=row["kind"], category=row["category"], seed=int(row["seed"]),
        round=int(row["round"]), digest=row["digest"], values=values, forwards=forwards, imported=True,
        content=row.get("content") or "",
    )  # fmt: skip


def _failed(row: Mapping[str, Any], forwards: tuple[dict[str, Measurement], ...]) -> FailedStep:
    kind, _, reason = row["missing_reason"].partition(": ")
    return FailedStep(
        model=row["model"], case=row["case"], picture=row["picture"], pair=row["pair"], kind=row["kind"],
        category=row["category"], seed=int(row["seed"]), round=int(row["round"]), role=row["role"],
        kind_of_failure=kind, reason=reason, forwards=forwards, content=row.get("content") or "",
    )  # fmt: skip
