"""A picture that a section of the page shows."""

from __future__ import annotations

from dataclasses import dataclass

from convergebench.metrics.flip import WorstBox
from convergebench.types import Digest


@dataclass(frozen=True)
class PagePicture:
    digest: Digest
    file: str | None = None
    """Its index among the pictures; None if the page shows only its thumbnail."""
    source: Digest | None = None
    """The picture that a map of change compares it with."""
    worst_box: WorstBox | None = None
    """Where it differs most from the source; shown magnified."""
