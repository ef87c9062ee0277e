"""What an audit looks at: the results as given, the imported rows, and how every step came about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from convergebench.analysis.round_trip.results import Results, Role
from convergebench.types import Digest, ImportedReturn


@dataclass(frozen=True)
class StepTrace:
    """One finished edit: what it was given, what it made, and what it should have been given."""

    model: str
    role: Role
    case: str
    category: str
    seed: int
    round: int
    is_return: bool
    source: Digest
    """What the trajectory began with."""
    given: Digest
    expected: Digest
    """The picture that the step before made, or the source."""
    made: Digest
    size: tuple[int, int]
    source_size: tuple[int, int] | None
    """None where the source is not in the workspace any more."""


@dataclass(frozen=True)
class AuditInput:
    results: Results
    rows: tuple[ImportedReturn, ...]
    steps: tuple[StepTrace, ...]
    versions: Mapping[str, Mapping[str, int]]
    """By metric: how many returns were measured with each of its versions."""
