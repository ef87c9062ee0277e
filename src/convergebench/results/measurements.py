"""Measurements by each metric's newest version: of any two pictures, and along trajectories."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from typing import NamedTuple

from convergebench.metrics.change_metrics import CHANGE_METRICS
from convergebench.protocols import RETURN_ROLES
from convergebench.results.generations import hidden_positions, ids_in
from convergebench.store import Workspace
from convergebench.types import Digest, SuiteId

_ALONG_TRAJECTORIES = """
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
    SELECT pairs.position, pairs.trajectory, pairs.role, pairs.round, pairs.picture, compared_with,
           metric, version, value, missing
    FROM pairs LEFT JOIN measurements m
        ON m.reference = pairs.reference AND m.picture = pairs.picture AND NOT {changed_nothing}
    WHERE metric IS NOT NULL OR {changed_nothing}
    ORDER BY pairs.trajectory, pairs.position, compared_with DESC, metric
"""
_CHANGED_NOTHING = "(pairs.reference = pairs.picture AND compared_with != 'source')"
"""The same file on both sides, which no run measures, except possibly as a return of the source."""
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
_OF_RETURNS = """
    SELECT m.metric, m.version, count(*) AS n FROM measurements m
    WHERE m.value IS NOT NULL AND (m.reference, m.picture) IN (
        SELECT first.inputs ->> 0, s.picture FROM steps s
        JOIN steps first ON first.trajectory = s.trajectory AND first.position = 0
        JOIN trajectories t ON t.id = s.trajectory
        JOIN cases c ON c.fingerprint = t.case_fingerprint
        WHERE c.suite = ? AND s.picture IS NOT NULL)
    GROUP BY m.metric, m.version
"""


class StepMeasurement(NamedTuple):
    """A step's picture compared with another one by one metric."""

    trajectory: int
    role: str
    round: int
    picture: Digest | None
    compared_with: str
    """A return with the source and the previous return, other edits with their input."""
    metric: str | None
    """None if both pictures are the same file, which is not measured."""
    version: str | None
    value: float | None
    missing: str | None


class VersionCount(NamedTuple):
    metric: str
    version: str
    measured: int
    missing: int


def read_newest_versions(workspace: Workspace) -> dict[str, str]:
    """The version of each metric that measured last."""
    found = [tuple(row) for row in workspace.query("SELECT DISTINCT metric, version FROM measurements")]
    if len(dict(found)) == len(found):
        return dict(found)
    sql = "SELECT metric, version, max(at) AS last FROM measurements GROUP BY metric, version ORDER BY last"
    return {row["metric"]: row["version"] for row in workspace.query(sql)}


def read_step_measurements(workspace: Workspace, trajectories: Collection[int]) -> Iterator[StepMeasurement]:
    """Measurements by every version, in the order of steps, without those of hidden runs and what follows
    them. There are many: request some trajectories at a time."""
    sql = _ALONG_TRAJECTORIES.format(
        trajectories=ids_in(trajectories), returns=_quoted(RETURN_ROLES), changed_nothing=_CHANGED_NOTHING
    )
    hidden = hidden_positions(workspace, trajectories)
    for position, *row in workspace.query(sql):
        step = StepMeasurement(*row)
        if position < hidden.get(step.trajectory, math.inf):
            yield step


def read_change_metrics(workspace: Workspace) -> list[tuple[str, str, str]]:
    """Suite, metric and version of all comparisons of edits with their inputs."""
    return [tuple(row) for row in workspace.query(_CHANGE_METRICS.format(metrics=_quoted(CHANGE_METRICS)))]


def read_version_counts(workspace: Workspace) -> list[VersionCount]:
    """The number of measurements by each version of each metric, including missing ones."""
    sql = """
        SELECT metric, version, count(value), count(*) - count(value)
        FROM measurements GROUP BY metric, version ORDER BY metric, version
    """
    return [VersionCount(*row) for row in workspace.query(sql)]


def read_versions_of_returns(workspace: Workspace, suite: SuiteId) -> dict[str, dict[str, int]]:
    """By metric: the number of returns of a suite with a value, by version."""
    found: dict[str, dict[str, int]] = {}
    for metric, version, count in workspace.query(_OF_RETURNS, suite):
        found.setdefault(metric, {})[version] = count
    return found


def _quoted(words: Collection[str]) -> str:
    return ", ".join(f"'{word}'" for word in words)
