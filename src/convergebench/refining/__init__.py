"""Refinement as people use it: from settings to pictures, verdicts and tables."""

from convergebench.refining.running import Prepared, Refined, carry_out, prepare, refine
from convergebench.refining.settings import Refining, read_refining

__all__ = ["Prepared", "Refined", "Refining", "carry_out", "prepare", "read_refining", "refine"]
