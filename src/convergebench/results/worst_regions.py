"""The region where each return differs most from its source."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

from convergebench.analysis import Results
from convergebench.metrics.flip import WorstBox
from convergebench.results.records import Records
from convergebench.store import Workspace
from convergebench.types import Digest

METRIC = "flip_peak"
"""The box is stored as the detail of this metric."""


class WorstRegion(NamedTuple):
    source: Digest
    box: WorstBox
    """In pixels of the source."""


WorstRegions: TypeAlias = Mapping[tuple[str, Digest], WorstRegion]
"""By case and return."""


def worst_regions(records: Records, results: Results) -> WorstRegions:
    """For all returns that were measured by region."""
    boxes = read_worst_regions(records.workspace, records.newest_versions)
    sources = {
        one.case.id: source
        for one, source in records.beginnings(results.suite)
        if one.protocol == results.protocol
    }
    return {
        (item.case, item.digest): WorstRegion(sources[item.case], box)
        for item in results.returns
        if item.case in sources and (box := boxes.get((sources[item.case], item.digest)))
    }


def read_worst_regions(
    workspace: Workspace, newest: Mapping[str, str]
) -> dict[tuple[Digest, Digest], WorstBox]:
    """By source and return, for the newest version; empty if nothing was measured by region."""
    # Reading does not migrate, and an older workspace has no such table.
    if METRIC not in newest or not workspace.query(
        "SELECT 1 FROM sqlite_master WHERE name = 'measurement_details'"
    ):
        return {}
    rows = workspace.query(
        "SELECT reference, picture, detail FROM measurement_details WHERE metric = ? AND version = ?",
        METRIC,
        newest[METRIC],
    )
    return {(reference, picture): WorstBox(*json.loads(detail)["box"]) for reference, picture, detail in rows}
