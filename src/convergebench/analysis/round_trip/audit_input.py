"""The input of an audit: the results as given, the imported rows, and the origin of every step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from convergebench.analysis.round_trip.results import Results, Role
from convergebench.types import Digest, ImportedReturn


@dataclass(frozen=True)
class StepTrace:
    """One finished edit: its input, its output, and the expected input."""

    model: str
    role: Role
    case: str
    category: str
    seed: int
    round: int
    is_return: bool
    source: Digest
    """The source of the trajectory."""
    given: Digest
    expected: Digest
    """The output of the previous step, or the source."""
    made: Digest
    size: tuple[int, int]
    source_size: tuple[int, int] | None
    """None if the source is no longer in the workspace."""


@dataclass(frozen=True)
class LeftOutChain:
    """A chain of an imported folder without a readable source, which identifies the case."""

    model: str
    case: str
    reason: str


@dataclass(frozen=True)
class AuditInput:
    results: Results
    rows: tuple[ImportedReturn, ...]
    steps: tuple[StepTrace, ...]
    versions: Mapping[str, Mapping[str, int]]
    """By metric: the number of returns measured with each of its versions."""
    left_out: tuple[LeftOutChain, ...] = ()
