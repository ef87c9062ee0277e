"""Refinement as people use it: from settings to pictures, verdicts and tables."""

from convergebench.refining.preparing import Prepared, prepare
from convergebench.refining.running import Refined, carry_out, refine
from convergebench.refining.settings import Refining, read_refining

__all__ = ["Prepared", "Refined", "Refining", "carry_out", "prepare", "read_refining", "refine"]
