"""Judges' verdicts on one round: whether each forward edit happened, and what the return restored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

ByJudge: TypeAlias = Mapping[str, float]
"""From 0 to 1 by judge and rubric; the mean where a judge was asked repeatedly."""


@dataclass(frozen=True, slots=True)
class RoundVerdicts:
    """Empty where no judge answered."""

    happened: tuple[ByJudge, ...] = ()
    """For each forward edit: the share of verdicts that it is visible."""
    restored: ByJudge = field(default_factory=dict)
    """How much of the source is back in the return."""
    undone: ByJudge = field(default_factory=dict)
    """The share of verdicts that no trace of the edit is left in the return."""


NO_VERDICTS = RoundVerdicts()
