"""A picture that a section of the page shows."""

from __future__ import annotations

from dataclasses import dataclass

from convergebench.types import Digest


@dataclass(frozen=True)
class PagePicture:
    digest: Digest
    file: str | None = None
    """Its place among the pictures; None where the page shows its thumbnail only."""
    source: Digest | None = None
    """What the page compares it with in a map of change."""
