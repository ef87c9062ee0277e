"""Details of measurements, such as what was found where, as they are stored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from convergebench.store import Workspace
from convergebench.types import Digest

MeasurementDetails: TypeAlias = Mapping[tuple[Digest, Digest], str]
"""JSON, by reference and picture."""


def read_details(workspace: Workspace, metric: str, version: str) -> MeasurementDetails:
    # Reading does not migrate, and an older workspace has no such table.
    if not workspace.query("SELECT 1 FROM sqlite_master WHERE name = 'measurement_details'"):
        return {}
    rows = workspace.query(
        "SELECT reference, picture, detail FROM measurement_details WHERE metric = ? AND version = ?",
        metric,
        version,
    )
    return {(reference, picture): detail for reference, picture, detail in rows}
