"""Refinement for users: from settings to pictures, verdicts and tables."""

from convergebench.refinement.prepare import PreparedRefinement, prepare
from convergebench.refinement.run import RefinementResult, carry_out, refine
from convergebench.refinement.settings import RefinementSettings, read_refinement_settings

__all__ = [
    "PreparedRefinement",
    "RefinementResult",
    "RefinementSettings",
    "carry_out",
    "prepare",
    "read_refinement_settings",
    "refine",
]
