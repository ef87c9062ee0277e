"""Where forward edits changed their pictures, as it was stored when they were measured by region."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import TypeAlias

from convergebench.metrics.regions import FOOTPRINT, Footprint
from convergebench.results.records import Records
from convergebench.types import Digest

Footprints: TypeAlias = Mapping[tuple[Digest, Digest], str]
"""As they are stored, by input and forward picture."""


def read_footprints(records: Records) -> Footprints:
    """By the newest version; empty if nothing was measured by region."""
    workspace, newest = records.workspace, records.newest_versions
    # Reading does not migrate, and an older workspace has no such table.
    if FOOTPRINT not in newest or not workspace.query(
        "SELECT 1 FROM sqlite_master WHERE name = 'measurement_details'"
    ):
        return {}
    rows = workspace.query(
        "SELECT reference, picture, detail FROM measurement_details WHERE metric = ? AND version = ?",
        FOOTPRINT,
        newest[FOOTPRINT],
    )
    return {(reference, picture): detail for reference, picture, detail in rows}


def footprint_of(detail: str) -> Footprint:
    return Footprint.from_bytes(base64.b85decode(json.loads(detail)["mask"]))
