"""What a person sees of a return, by region: where it was edited, what was undone, what was left alone.

The chain itself says where it was edited: the footprint of a forward edit is where its picture differs
visibly from the one it was made of. Visibility is ꟻLIP's, made by a function that is handed in.
"""

from __future__ import annotations

from convergebench.metrics.regions.evidence import EditEvidence, edit_evidence
from convergebench.metrics.regions.facts import EDIT_EVIDENCE, FACTS, FOOTPRINT, NAMES, OF_RETURN, OF_TURN
from convergebench.metrics.regions.footprint import Footprint, LocatedEdit, locate_edit
from convergebench.metrics.regions.maps import FlipAgainst, FloatMap, ReferencePicture
from convergebench.metrics.regions.measures import Histogram, RegionBox
from convergebench.metrics.regions.returns import ReturnRegions, measure_return
from convergebench.metrics.regions.scope import EditScope, edit_scope
from convergebench.metrics.regions.turns import TurnRegions, measure_turn

__all__ = [
    "EDIT_EVIDENCE",
    "FACTS",
    "FOOTPRINT",
    "NAMES",
    "OF_RETURN",
    "OF_TURN",
    "EditEvidence",
    "EditScope",
    "FlipAgainst",
    "FloatMap",
    "Footprint",
    "Histogram",
    "LocatedEdit",
    "ReferencePicture",
    "RegionBox",
    "ReturnRegions",
    "TurnRegions",
    "edit_evidence",
    "edit_scope",
    "locate_edit",
    "measure_return",
    "measure_turn",
]
