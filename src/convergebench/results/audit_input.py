"""The input of an audit of one suite, read from a workspace."""

from __future__ import annotations

from collections.abc import Iterator

from convergebench.analysis.round_trip.audit_input import AuditInput, LeftOutChain, StepTrace
from convergebench.analysis.round_trip.imported_returns import VERSION
from convergebench.errors import ConvergeBenchError
from convergebench.metrics.clip_direction import NAME as CLIP_DIRECTION
from convergebench.protocols import RETURN_ROLES
from convergebench.results.measurements import read_versions_of_returns
from convergebench.results.records import Records, WorkspaceOrRecords
from convergebench.results.round_trip_results import load_results_as_given
from convergebench.results.runs import LEFT_OUT
from convergebench.results.trajectories import TrajectoryRecord
from convergebench.store import Workspace
from convergebench.types import Digest, SuiteId


def load_audit_input(workspace: WorkspaceOrRecords, suite: SuiteId | None = None) -> AuditInput:
    """Everything that an audit of one suite needs."""
    records = Records.of(workspace)
    results = load_results_as_given(records, suite)
    versions = read_versions_of_returns(records.workspace, results.suite)
    return AuditInput(
        results=results,
        rows=tuple(records.imported(results.suite)),
        steps=tuple(_steps(records, results.suite)),
        # A direction's version contains its texts, so it has many versions by design.
        versions={name: found for name, found in versions.items() if name != CLIP_DIRECTION},
        left_out=tuple(_left_out(records, results.suite)),
    )


def _steps(records: Records, suite: SuiteId) -> Iterator[StepTrace]:
    """Every finished edit, of every generation."""
    trajectories: dict[int, TrajectoryRecord] = {
        one.id: one for one in records.trajectories if one.case.suite == suite
    }
    sizes: dict[Digest, tuple[int, int] | None] = {}
    trajectory, previous, source = None, "", ""
    for step in records.steps:
        owner = trajectories.get(step.trajectory)
        if owner is None or step.facts is None:
            continue
        given = step.inputs[0]
        if step.trajectory != trajectory:
            trajectory, previous, source = step.trajectory, given, given
        if source not in sizes:
            sizes[source] = _size(records.workspace, source)
        made = step.facts
        yield StepTrace(
            owner.model, owner.editor.role, owner.case.id, owner.case.category, owner.seed, step.round,
            step.role in RETURN_ROLES, source, given, previous, made.digest, (made.width, made.height),
            sizes[source],
        )  # fmt: skip
        previous = made.digest


def _left_out(records: Records, suite: SuiteId) -> Iterator[LeftOutChain]:
    """Of the models in the suite, as far as no other import had a source for the chain."""
    labels = {one.name: one.label for one in records.editors_of(suite) if one.version == VERSION}
    there = {(one.editor.name, one.case.id) for one in records.trajectories if one.case.suite == suite}
    reasons: dict[tuple[str, str], str] = {}
    for run in records.runs:
        if LEFT_OUT in run.settings and run.settings["suite"] == suite:
            (model,) = run.settings["models"]
            reasons |= {(model, case): reason for case, reason in run.settings[LEFT_OUT].items()}
    for (model, case), reason in reasons.items():
        if model in labels and (model, case) not in there:
            yield LeftOutChain(labels[model], case, reason)


def _size(workspace: Workspace, digest: Digest) -> tuple[int, int] | None:
    try:
        return workspace.pictures.load(digest).size
    except ConvergeBenchError:
        return None
