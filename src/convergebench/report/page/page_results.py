"""The results for a page, also if there are none yet."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from typing import NamedTuple

from convergebench.analysis import Results
from convergebench.errors import WorkspaceError
from convergebench.results import Records, WorkspaceOrRecords, load_results
from convergebench.results.round_trip_results import suites_and_protocols
from convergebench.store import Workspace
from convergebench.types import SuiteId


def page_results(workspace: WorkspaceOrRecords, suite: SuiteId | None = None) -> Results:
    """The results; empty if there are only single edits, or none at all."""
    try:
        return load_results(workspace, suite)
    except WorkspaceError:
        return Results(suite or SuiteId("nothing measured yet"), 1, (), (), (), ())


_MOST_RUNS = 20
_FEW_TRAJECTORIES = 500
"""Up to this many, a report has the data of each run as well; a live page builds what somebody opens."""


class Scope(NamedTuple):
    """What the results of one page have in common."""

    suite: SuiteId
    protocol: str | None
    """None for results that were measured elsewhere."""
    run: int | None = None
    """Only trajectories in which this run made an edit."""


def other_scopes(workspace: WorkspaceOrRecords, first: Results) -> list[Scope]:
    """All other suites and protocols of the workspace."""
    return [
        Scope(suite, protocol)
        for suite, protocol in suites_and_protocols(workspace)
        if suite != first.suite or protocol not in (None, first.protocol)
    ]


def single_runs(workspace: WorkspaceOrRecords, first: Results) -> list[Scope]:
    """Each run that edited in the first suite, the newest first; none if there is only one."""
    records = Records.of(workspace)
    of_suite = {
        identity
        for identity, found in records.newest.items()
        if any((one.case.suite, one.protocol) == (first.suite, first.protocol) for one in found)
    }
    runs = sorted({step.run for step in records.steps if step.trajectory in of_suite}, reverse=True)
    return [Scope(first.suite, first.protocol, run) for run in runs[:_MOST_RUNS]] if len(runs) > 1 else []


class ScopedResults(NamedTuple):
    """The results of one scope, and the workspace as its reader sees it."""

    workspace: Workspace
    results: Results
    run: int | None = None


@contextmanager
def other_results(workspace: Workspace, first: Results) -> Iterator[list[ScopedResults]]:
    """For one page: the other suites and protocols, and each run alone where there are few trajectories."""
    records = Records.of(workspace)
    with ExitStack() as opened:
        found = [
            ScopedResults(workspace, load_results(records, one.suite, protocol=one.protocol))
            for one in other_scopes(records, first)
        ]
        alone = single_runs(records, first) if len(records.trajectories) <= _FEW_TRAJECTORIES else []
        for one in alone:
            chosen = replace(workspace.selection, runs=(one.run or 0,))
            of_run = opened.enter_context(Workspace.existing(workspace.folder, chosen))
            with suppress(WorkspaceError):  # nothing came of this run
                results = load_results(of_run, one.suite, protocol=one.protocol)
                found.append(ScopedResults(of_run, results, one.run))
        yield found


def holds_only_single_edits(workspace: WorkspaceOrRecords) -> bool:
    """Whether the workspace contains requested edits, none of which should equal its source."""
    records = Records.of(workspace)
    results = page_results(records)
    return bool(records.trajectories) and not (results.uses or results.returns)
