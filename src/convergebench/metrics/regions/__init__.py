"""Measurements by region: where a picture was edited, what was undone, and what was preserved.

The edited region follows from the chain: the footprint of a forward edit is the part in which its picture
differs visibly from its input. Visibility is measured with ꟻLIP, structure with LPIPS, by functions that the
caller passes.
"""

from __future__ import annotations

from convergebench.metrics._lpips_map import LpipsAgainst
from convergebench.metrics.flip import FlipAgainst
from convergebench.metrics.regions.evidence import EditEvidence, edit_evidence, takes_pixels
from convergebench.metrics.regions.facts import EDIT_EVIDENCE, FACTS, FOOTPRINT, NAMES, OF_RETURN, OF_TURN
from convergebench.metrics.regions.footprint import Footprint, LocatedEdit, locate_edit
from convergebench.metrics.regions.map_parts import Histogram
from convergebench.metrics.regions.maps import FloatMap, ReferencePicture
from convergebench.metrics.regions.measures import NO_EDIT
from convergebench.metrics.regions.returns import ReturnRegions, measure_return
from convergebench.metrics.regions.scope import EditScope, edit_scope, has_scope
from convergebench.metrics.regions.turns import TurnRegions, measure_turn

__all__ = [
    "EDIT_EVIDENCE",
    "FACTS",
    "FOOTPRINT",
    "NAMES",
    "NO_EDIT",
    "OF_RETURN",
    "OF_TURN",
    "EditEvidence",
    "EditScope",
    "FlipAgainst",
    "FloatMap",
    "Footprint",
    "Histogram",
    "LocatedEdit",
    "LpipsAgainst",
    "ReferencePicture",
    "ReturnRegions",
    "TurnRegions",
    "edit_evidence",
    "edit_scope",
    "has_scope",
    "locate_edit",
    "measure_return",
    "measure_turn",
    "takes_pixels",
]
