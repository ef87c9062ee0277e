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
    return records.details(FOOTPRINT)


def footprint_of(detail: str) -> Footprint:
    return Footprint.from_bytes(base64.b85decode(json.loads(detail)["mask"]))
