"""Every measurement in one long table, as CSV and Parquet; read and written in batches."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from convergebench import metrics
from convergebench.analysis import Results
from convergebench.analysis.round_trip.imported_returns import imported_returns, without_never_computed
from convergebench.atomic_files import replacing
from convergebench.errors import MissingExtra
from convergebench.metrics.clip_direction import NAME as CLIP_DIRECTION
from convergebench.results import Records, WorkspaceOrRecords
from convergebench.results.clip_directions import version_parts
from convergebench.results.exported_results import FAILED_EDIT
from convergebench.results.measurements import StepMeasurement, read_change_metrics, read_step_measurements
from convergebench.results.step_contexts import step_contexts
from convergebench.results.trajectories import TrajectoryRecord
from convergebench.shown_text import csv_rows
from convergebench.types import Digest, Measurement, SuiteId

MEASUREMENTS = "measurements"
_TRAJECTORIES_AT_A_TIME = 200
_ROWS_AT_A_TIME = 50_000
_Item = TypeVar("_Item")


class MeasurementRow(NamedTuple):
    """One metric of one pair of pictures, or `edit` for an edit that failed: either a value or the reason why
    it is missing."""

    suite: SuiteId
    model: str
    editor_role: str
    fingerprint: str | None
    """The editor's; None for imported pictures."""
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
    """Returns are compared with the source and the previous return, other edits with their input; `chain` if
    the value depends on all previous pictures."""
    metric: str
    version: str
    value: float | None
    missing_reason: str | None
    digest: str | None
    """Of the measured picture; None for imported values."""
    content: str | None
    """Identifies source and instructions, equal in all suites and workspaces; None for imported tables."""


_BySuite = Mapping[str, Sequence[Measurement]]


def measurement_rows(workspace: WorkspaceOrRecords, suite: SuiteId | None = None) -> Iterator[MeasurementRow]:
    """All measurements of one suite, or of every suite, by each metric's newest version.

    A chain whose case is in several suites has rows under each of them. An edit that returned its exact input
    has perfect values, without measurement, for the metrics that measure its suite's changes. A failed edit
    has one row. Steps that were never attempted, such as those after it, have none.
    """
    records = Records.of(workspace)
    chosen = [one for one in records.trajectories if one.is_newest and suite in (None, one.case.suite)]
    unchanged = cache(lambda: _unchanged(records))  # many workspaces need none, and it takes long
    failed = _failed_steps(records)
    for some in _batches(chosen, _TRAJECTORIES_AT_A_TIME):
        yield from _of_trajectories(records, some, unchanged, failed)
    for name in records.imported_suites:
        if suite in (None, name):
            yield from _of_imported(records, name)


def write_csv(rows: Iterable[MeasurementRow], path: Path) -> Path:
    """A heading and one line per row; a missing value is an empty cell."""
    with replacing(path) as part, part.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(MeasurementRow._fields)
        writer.writerows(csv_rows(rows))
    return path


def write_parquet(rows: Iterable[MeasurementRow], path: Path) -> Path:
    """The same columns with their types; a missing value is null."""
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


def _unchanged(records: Records) -> _BySuite:
    """The metrics that apply to an edit that changed nothing, for each suite.

    Only metrics that are measured for edits with changes are used; other columns would contain nothing but
    perfect values.
    """
    found: dict[str, list[Measurement]] = {}
    for suite, metric, version in read_change_metrics(records.workspace):
        if records.newest_versions[metric] == version:
            perfect = metrics.facts(metric).perfect
            found.setdefault(suite, []).append(Measurement(metric, version, perfect))
    return found


def _of_trajectories(
    records: Records,
    trajectories: Sequence[TrajectoryRecord],
    unchanged: Callable[[], _BySuite],
    failed: Sequence[StepMeasurement],
) -> Iterator[MeasurementRow]:
    by_id: dict[int, list[TrajectoryRecord]] = {}
    for one in trajectories:
        by_id.setdefault(one.id, []).append(one)
    newest = records.newest_versions
    for identity, steps in groupby(read_step_measurements(records.workspace, by_id), itemgetter(0)):
        parts = [_TrajectoryPart.of(one, records.sources[identity]) for one in by_id[identity]]
        for step in steps:
            if step.metric is not None:
                if _is_newest(step, newest):
                    yield from [part.row(step) for part in parts]
                continue
            for part in parts:
                for known in unchanged().get(part.suite, ()):
                    found = step._replace(metric=known.metric, version=known.version, value=known.value)
                    yield part.row(found)
    for step in failed:
        for one in by_id.get(step.trajectory, ()):
            yield _TrajectoryPart.of(one, records.sources[one.id]).row(step)
    yield from _by_region(records, by_id)


def _failed_steps(records: Records) -> list[StepMeasurement]:
    return [
        StepMeasurement(
            chain.trajectory, role, number, None, "input", FAILED_EDIT, "", None, f"{failure}: {reason or ''}"
        )
        for chain in records.each_chain()
        if any(chain.failures)
        for role, number, failure, reason in zip(
            chain.roles, chain.rounds, chain.failures, chain.reasons, strict=True
        )
        if failure is not None
    ]


def _by_region(records: Records, by_id: Mapping[int, Sequence[TrajectoryRecord]]) -> Iterator[MeasurementRow]:
    """The measurements of steps as parts of their chain."""
    if not records.newest_versions.keys() & set(metrics.expand(["regions"])):
        return
    steps = [step for step in records.steps if step.trajectory in by_id]
    contexts = step_contexts(steps, {identity: known[0] for identity, known in by_id.items()})
    for step in steps:
        context = contexts.get((step.trajectory, step.position))
        if context is None or step.picture is None:
            continue
        for one in records.pair_values.get((context, step.picture), {}).values():
            place = StepMeasurement(
                step.trajectory, step.role, step.round, step.picture, "chain", one.metric, one.version,
                one.value, one.missing,
            )  # fmt: skip
            sources = records.sources[step.trajectory]
            yield from [_TrajectoryPart.of(known, sources).row(place) for known in by_id[step.trajectory]]


class _TrajectoryPart(NamedTuple):
    """What all rows of a trajectory have in common."""

    suite: SuiteId
    begin: tuple[str | int, ...]
    content: str

    @classmethod
    def of(cls, trajectory: TrajectoryRecord, sources: Sequence[Digest]) -> _TrajectoryPart:
        case, editor = trajectory.case, trajectory.editor
        begin = (
            case.suite, editor.label, editor.role, editor.fingerprint, case.id, case.picture, case.pair,
            case.kind, case.category, case.reversibility, trajectory.protocol, trajectory.seed,
        )  # fmt: skip
        return cls(case.suite, begin, case.content(sources))

    def row(self, step: StepMeasurement) -> MeasurementRow:
        _, role, number, picture, compared_with, metric, version, value, missing = step
        end = (number, role, compared_with, metric, version, value, missing, picture, self.content)
        return MeasurementRow._make(self.begin + end)


def _is_newest(step: StepMeasurement, newest: Mapping[str, str]) -> bool:
    """Directions of one version differ in their texts."""
    if step.metric == CLIP_DIRECTION and step.version is not None:
        return version_parts(step.version)[0] == version_parts(newest[CLIP_DIRECTION])[0]
    return step.version == newest[step.metric or ""]


def _of_imported(records: Records, suite: SuiteId) -> Iterator[MeasurementRow]:
    returns = imported_returns(records.imported(suite))
    believed = without_never_computed(Results(suite, 0, (), returns, (), ()))
    for item in believed.returns:
        for one in item.values.values():
            yield MeasurementRow(
                suite, item.model, item.role, None, item.case, item.picture, item.pair, item.kind,
                item.category, item.reversibility, "round_trip", item.seed, item.round, "backward", "source",
                one.metric, one.version, one.value, one.missing, None, None,
            )  # fmt: skip


def _batches(items: Iterable[_Item], size: int) -> Iterator[tuple[_Item, ...]]:
    rest = iter(items)
    while some := tuple(islice(rest, size)):
        yield some
