"""Checks a submission against what can be found out here: the suite's cases, the audit, and its pictures
measured again."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from convergebench import metrics
from convergebench.analysis import AuditFinding, audit
from convergebench.engine.measuring.remeasure import EVERY_KIND, measure_workspace
from convergebench.engine.progress import NoProgress
from convergebench.leaderboard.known_suites import known_cases
from convergebench.leaderboard.opening import OpenedSubmission
from convergebench.leaderboard.submitted_rows import BadSubmission
from convergebench.metrics import MetricSet
from convergebench.metrics.clip_direction import NAME as CLIP_DIRECTION
from convergebench.metrics.regions import FOOTPRINT
from convergebench.results import load_audit_input
from convergebench.store import MeasurementKey, Workspace
from convergebench.store.table_rows import measured_values

RELATIVE_TOLERANCE = ABSOLUTE_TOLERANCE = 1e-3
"""How far a submitted value may be from the one measured here: processors and libraries round differently."""
_DISQUALIFYING = ("duplicate_keys", "broken_chains")
"""Findings of an audit after which the results cannot be what they claim to be."""


@dataclass(frozen=True)
class Verification:
    """What was found out about a sound submission."""

    compared: int
    """Submitted values that were measured again here, by the same version."""
    measured: int
    """Values measured here; 0 if there are no full pictures."""
    other_versions: Mapping[str, str]
    """Metrics that were submitted in another version than is installed here, with the submitted version."""
    is_suite_known: bool
    """Whether the cases were compared with those of the installed suite."""
    findings: tuple[AuditFinding, ...]
    """Of the audit, those that do not disqualify."""

    @property
    def is_measured(self) -> bool:
        return self.measured > 0


def verify(opened: OpenedSubmission, metric_names: Sequence[str]) -> Verification:
    """BadSubmission if its results are not what they claim to be. With full pictures, its workspace holds
    what was measured here afterwards, and nothing that was submitted."""
    is_known = _check_suite(opened)
    compared = measured = 0
    if opened.manifest.pictures == "full":
        values = _measure(opened, metric_names)
        compared, measured = _compare(opened, values), len(values)
    findings = tuple(_findings(opened))
    return Verification(compared, measured, _other_versions(opened), is_known, findings)


def _check_suite(opened: OpenedSubmission) -> bool:
    known = known_cases(opened.manifest.suite)
    if known is None:
        return False
    strange = [row["id"] for row in opened.rows["case_facts"] if row["fingerprint"] not in known]
    if strange:
        raise BadSubmission(
            f"{len(strange)} of its cases are not in {opened.manifest.suite}, such as {strange[0][:100]!r}"
        )
    return True


def _measure(opened: OpenedSubmission, names: Sequence[str]) -> dict[MeasurementKey, float]:
    with Workspace.create(opened.folder) as workspace:
        asyncio.run(measure_workspace(workspace, MetricSet(names), NoProgress(), kinds=EVERY_KIND))
        return measured_values(workspace)


def _compare(opened: OpenedSubmission, measured: Mapping[MeasurementKey, float]) -> int:
    """The number of values that both have; BadSubmission if one is different.

    A footprint depends on the scope of the edit too, which its key does not hold: of two edits that gave the
    same picture, the one measured first counts. No score uses it.
    """
    compared, wrong = 0, []
    for row in opened.rows["measurements"]:
        key = (row["reference"], row["picture"], row["metric"], row["version"])
        if row["value"] is None or key not in measured or row["metric"] == FOOTPRINT:
            continue
        compared += 1
        if not _are_equal(row["value"], measured[key]):
            wrong.append((row["metric"], row["value"], measured[key]))
    if wrong:
        metric, submitted, here = wrong[0]
        raise BadSubmission(
            f"{len(wrong)} of {compared} values are not what its pictures give, such as {metric} "
            f"{submitted:.4g} where {here:.4g} is measured"
        )
    return compared


def _are_equal(submitted: float, measured: float) -> bool:
    return math.isclose(submitted, measured, rel_tol=RELATIVE_TOLERANCE, abs_tol=ABSOLUTE_TOLERANCE)


def _other_versions(opened: OpenedSubmission) -> dict[str, str]:
    """Metrics that are unknown here do not count: no table shows them."""
    known = set(metrics.names())
    return {
        name: version
        for name, version in sorted(_submitted_versions(opened))
        if name in known and metrics.facts(name).version != version
    }


def _submitted_versions(opened: OpenedSubmission) -> set[tuple[str, str]]:
    return {
        (row["metric"], row["version"])
        for row in opened.rows["measurements"]
        if row["metric"] != CLIP_DIRECTION and row["value"] is not None
    }


def _findings(opened: OpenedSubmission) -> Iterator[AuditFinding]:
    with Workspace.existing(opened.folder) as workspace:
        for finding in audit(load_audit_input(workspace, opened.manifest.suite)):
            if finding.kind in _DISQUALIFYING:
                raise BadSubmission(f"the audit found: {finding.sentence}")
            yield finding
