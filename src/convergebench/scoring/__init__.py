"""Scores of single edits: a benchmark's figures, and models compared pair by pair."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from convergebench.scoring.pointwise import (
    Completeness,
    RepeatAgreement,
    Scored,
    score_suite,
)

if TYPE_CHECKING:
    from convergebench.scoring.pairwise import ScoredWithPairs, score_with_pairs, suite_pairs

__all__ = [
    "Completeness",
    "RepeatAgreement",
    "Scored",
    "ScoredWithPairs",
    "score_suite",
    "score_with_pairs",
    "suite_pairs",
]


def __getattr__(name: str) -> Any:
    """Comparisons of models are imported when they are first used."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.pairwise"), name)
