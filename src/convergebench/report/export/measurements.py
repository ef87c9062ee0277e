"""Every measurement in one long table, as CSV and Parquet; read and written in batches."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from convergebench import metrics
from convergebench.analysis import Results
from convergebench.analysis.round_trip.imported_returns import imported_returns, without_never_computed
from convergebench.atomic_files import replacing
from convergebench.errors import MissingExtra
from convergebench.metrics.clip_direction import NAME as CLIP_DIRECTION
from convergebench.metrics.measured_pairs import CHANGE_METRICS
from convergebench.protocols import RETURN_ROLES, RETURNING
from convergebench.store import IS_NEWEST, Workspace, imported_rows, imported_suites
from convergebench.suites import reversibility_of
from convergebench.types import Measurement

if TYPE_CHECKING:
    import sqlite3

MEASUREMENTS = "measurements"
_TRAJECTORIES_AT_A_TIME = 200
_ROWS_AT_A_TIME = 50_000
_Item = TypeVar("_Item")


class MeasurementRow(NamedTuple):
    """One metric of one pair of pictures; either a value or the reason why there is none."""

    suite: str
    model: str
    editor_role: str
    fingerprint: str | None
    """The editor's; None for what was imported."""
    case: str
    picture: str
    pair: str
    kind: str
    category: str
    reversibility: str
    protocol: str
    seed: int
    round: int
    role: str
    """The step's."""
    compared_with: str
    """A return with the source and the previous return, other edits with their input."""
    metric: str
    version: str
    value: float | None
    missing_reason: str | None
    digest: str | None
    """Of the picture that was measured; None for what was imported."""


_TRAJECTORIES = f"""
    SELECT t.id, t.protocol, t.editor, t.seed, e.name, e.role AS editor_role, c.suite, c.id AS case_id,
           c.picture AS source_id, c.pair, c.kind, c.category, c.hints ->> 'reversibility' AS reversibility
    FROM trajectories t
    JOIN cases c ON c.fingerprint = t.case_fingerprint
    JOIN editors e ON e.fingerprint = t.editor
    WHERE {IS_NEWEST}
    ORDER BY t.id
"""
_NEWEST = "SELECT metric, version, max(at) AS last FROM measurements GROUP BY metric, version ORDER BY last"
_MEASURED = """
    WITH made AS (
        SELECT trajectory, position, role, round, picture, inputs ->> 0 AS given,
               first_value(inputs ->> 0) OVER (PARTITION BY trajectory ORDER BY position) AS source,
               lag(picture) OVER (PARTITION BY trajectory, role IN ({returns}) ORDER BY position) AS previous
        FROM steps WHERE picture IS NOT NULL AND trajectory IN ({trajectories})
    ), pairs AS (
        SELECT *, 'source' AS compared_with, source AS reference FROM made WHERE role IN ({returns})
        UNION ALL SELECT *, 'previous return', previous FROM made WHERE role IN ({returns})
        UNION ALL SELECT *, 'input', given FROM made WHERE role NOT IN ({returns})
    )
    SELECT pairs.trajectory, pairs.role, pairs.round, pairs.picture, compared_with,
           metric, version, value, missing
    FROM pairs LEFT JOIN measurements m
        ON m.reference = pairs.reference AND m.picture = pairs.picture AND NOT {changed_nothing}
    WHERE metric IS NOT NULL OR {changed_nothing}
    ORDER BY pairs.trajectory, pairs.position, compared_with DESC, metric
"""
_CHANGED_NOTHING = "(pairs.reference = pairs.picture AND compared_with != 'source')"
"""The same file on both sides, which no run measures; only as a return of the source it may have been."""
_CHANGE_METRICS = """
    SELECT DISTINCT c.suite, m.metric, m.version
    FROM steps s
    JOIN steps first ON first.trajectory = s.trajectory AND first.position = 0
    JOIN trajectories t ON t.id = s.trajectory
    JOIN cases c ON c.fingerprint = t.case_fingerprint
    JOIN measurements m ON m.reference IN (first.inputs ->> 0, s.inputs ->> 0) AND m.picture = s.picture
        AND m.metric IN ({metrics})
    ORDER BY c.suite, m.metric
"""
_BySuite = Mapping[str, Sequence[Measurement]]


def measurement_rows(workspace: Workspace, suite: str | None = None) -> Iterator[MeasurementRow]:
    """All measurements of one suite, or of every suite, by each metric's newest version.

    A chain whose case is in several suites has its rows under each of them. An edit that gave back its very
    input is perfect by the metrics that its suite's changes are measured with, though nobody measured it.
    What could not even be tried, such as a return that was never made, has no row here.
    """
    every = workspace.query(_TRAJECTORIES)
    labels = _labels(every)
    chosen = [row for row in every if suite in (None, row["suite"])]
    newest = {row["metric"]: row["version"] for row in workspace.query(_NEWEST)}
    unchanged = _unchanged(workspace, newest)
    for some in _batches(chosen, _TRAJECTORIES_AT_A_TIME):
        yield from _of_trajectories(workspace, some, labels, newest, unchanged)
    for name in imported_suites(workspace):
        if suite in (None, name):
            yield from _of_imported(
                workspace, name, {label for (returns, _), label in labels.items() if returns}
            )


def write_csv(rows: Iterable[MeasurementRow], path: Path) -> Path:
    """A heading and a line a row; what is missing is an empty cell."""
    with replacing(path) as part, part.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(MeasurementRow._fields)
        writer.writerows(rows)
    return path


def write_parquet(rows: Iterable[MeasurementRow], path: Path) -> Path:
    """The same columns with their types; what is missing is null."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise MissingExtra("pyarrow, which writes Parquet,", "parquet") from error
    schema = _schema(pyarrow)
    with replacing(path) as part, parquet.ParquetWriter(part, schema, compression="zstd") as writer:
        for some in _batches(rows, _ROWS_AT_A_TIME):
            columns = dict(zip(MeasurementRow._fields, zip(*some, strict=True), strict=True))
            writer.write_batch(pyarrow.RecordBatch.from_pydict(columns, schema))
    return path


def _schema(pyarrow: Any) -> Any:
    other = {"seed": pyarrow.int64(), "round": pyarrow.int32(), "value": pyarrow.float64()}
    return pyarrow.schema([(name, other.get(name, pyarrow.string())) for name in MeasurementRow._fields])


def _labels(trajectories: Sequence[sqlite3.Row]) -> dict[tuple[bool, str], str]:
    """A name for each editor; where two share one, its fingerprint tells them apart."""
    names = {_whose(row): row["name"] for row in trajectories}
    shared = Counter((returns, name) for (returns, _), name in names.items())
    return {
        (returns, editor): name if shared[returns, name] == 1 else f"{name}@{editor[:6]}"
        for (returns, editor), name in names.items()
    }


def _whose(trajectory: sqlite3.Row) -> tuple[bool, str]:
    """Names are told apart among editors that return, and among those that edit once, as in their tables."""
    return trajectory["protocol"] in RETURNING, trajectory["editor"]


def _unchanged(workspace: Workspace, newest: dict[str, str]) -> _BySuite:
    """What is measured of an edit that changed nothing, for each suite.

    By the metrics of the edits that changed something alone, or the others' columns would hold nothing but
    perfect values.
    """
    found: dict[str, list[Measurement]] = {}
    for row in workspace.query(_CHANGE_METRICS.format(metrics=_quoted(CHANGE_METRICS))):
        if newest[row["metric"]] == row["version"]:
            perfect = metrics.facts(row["metric"]).perfect
            found.setdefault(row["suite"], []).append(Measurement(row["metric"], row["version"], perfect))
    return found


def _quoted(words: Iterable[str]) -> str:
    return ", ".join(f"'{word}'" for word in words)


def _of_trajectories(
    workspace: Workspace,
    trajectories: Sequence[sqlite3.Row],
    labels: dict[tuple[bool, str], str],
    newest: dict[str, str],
    unchanged: _BySuite,
) -> Iterator[MeasurementRow]:
    by_id: dict[int, list[sqlite3.Row]] = {}
    for row in trajectories:
        by_id.setdefault(row["id"], []).append(row)
    sql = _MEASURED.format(
        trajectories=", ".join(map(str, by_id)),
        returns=_quoted(RETURN_ROLES),
        changed_nothing=_CHANGED_NOTHING,
    )
    for found in workspace.query(sql):
        measured = None if found["metric"] is None else _measured(found, newest)
        for of in by_id[found["trajectory"]]:
            known = unchanged.get(of["suite"], ()) if measured is None else measured
            yield from (_row(of, labels[_whose(of)], found, one) for one in known)


def _row(of: sqlite3.Row, model: str, found: sqlite3.Row, measured: Measurement) -> MeasurementRow:
    return MeasurementRow(
        of["suite"], model, of["editor_role"], of["editor"], of["case_id"], of["source_id"], of["pair"],
        of["kind"], of["category"], of["reversibility"] or reversibility_of(of["pair"]), of["protocol"],
        of["seed"], found["round"], found["role"], found["compared_with"], measured.metric,
        measured.version, measured.value, measured.missing, found["picture"],
    )  # fmt: skip


def _measured(found: sqlite3.Row, newest: dict[str, str]) -> tuple[Measurement, ...]:
    """The measurement of a row, or none where it is by an older version.

    A direction's version names its texts after the last colon; those differ by nature.
    """
    version, last = found["version"], newest[found["metric"]]
    if found["metric"] == CLIP_DIRECTION:
        version, last = version.rpartition(":")[0], last.rpartition(":")[0]
    if version != last:
        return ()
    return (Measurement(found["metric"], found["version"], found["value"], found["missing"]),)


def _of_imported(workspace: Workspace, suite: str, taken: set[str]) -> Iterator[MeasurementRow]:
    returns = imported_returns(imported_rows(workspace, suite), taken)
    believed = without_never_computed(Results(suite, 0, (), returns, (), ()))
    for item in believed.returns:
        for one in item.values.values():
            yield MeasurementRow(
                suite, item.model, item.role, None, item.case, item.picture, item.pair, item.kind,
                item.category, item.reversibility, "round_trip", item.seed, item.round, "backward", "source",
                one.metric, one.version, one.value, one.missing, None,
            )  # fmt: skip


def _batches(items: Iterable[_Item], size: int) -> Iterator[tuple[_Item, ...]]:
    rest = iter(items)
    while some := tuple(islice(rest, size)):
        yield some
