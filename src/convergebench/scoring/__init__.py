"""Scores of single edits: a benchmark's figures, and models compared pair by pair."""

from convergebench.scoring.pairwise import ScoredWithPairs, score_with_pairs, suite_pairs
from convergebench.scoring.pointwise import (
    Completeness,
    RepeatAgreement,
    Scored,
    score_suite,
)

__all__ = [
    "Completeness",
    "RepeatAgreement",
    "Scored",
    "ScoredWithPairs",
    "score_suite",
    "score_with_pairs",
    "suite_pairs",
]
