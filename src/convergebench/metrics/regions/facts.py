"""The facts of the metrics by region, for tables and files."""

from __future__ import annotations

from collections.abc import Mapping

from convergebench.metrics._lpips_network import WEIGHT_FILES
from convergebench.metrics.base import Reading, Result, family
from convergebench.types import Better, MetricFacts

VERSION = "1"
FOOTPRINT = "footprint"
EDIT_EVIDENCE = "edit_evidence"
ONLY_IN_CHAINS = "measured in chains of edits only: where it was edited follows from the forward picture"


def _facts(name: str, better: Better, perfect: float, worst: float, summary: str) -> MetricFacts:
    return MetricFacts(name, VERSION, better, perfect, worst, "region", summary=summary)


UNDID = MetricFacts(
    "undid",
    "3",
    better="higher",
    perfect=1.0,
    worst=0.0,
    dimension="region",
    summary="How much of the source is back where it was edited.",
    needs_weights=True,
)
"""Version 1 was measured by ꟻLIP alone, which forgives smeared texture of the right colour. Version 2 knew
neither traces of the edit nor registration."""


FACTS = (
    _facts(FOOTPRINT, "nearest", 0.0, 1.0, "The share of the picture that the forward edit touched."),
    _facts(
        EDIT_EVIDENCE, "higher", 1.0, 0.0, "Whether pixels confirm the forward edit (1) or refute it (0)."
    ),
    UNDID,
    _facts("left_behind", "lower", 0.0, 1.0, "The share of the footprint's core that still looks edited."),
    _facts("kept", "higher", 1.0, 0.0, "How much of the source is left where it was never edited."),
    _facts("kept_registered", "higher", 1.0, 0.0, "The same after registration, which undoes a moved frame."),
    _facts("collateral", "lower", 0.0, 1.0, "The share of the rest that visibly differs from the source."),
    _facts("rewritten", "nearest", 0.0, 1.0, "The share of the edited region that visibly differs."),
)
NAMES = tuple(facts.name for facts in FACTS)
OF_RETURN = tuple(name for name in NAMES if name not in (FOOTPRINT, EDIT_EVIDENCE))
"""Metrics of a return; the other two are of a forward picture."""
OF_TURN = ("kept", "kept_registered", "collateral")
"""Metrics of a turn of a session, beside its footprint."""


@family("regions", *FACTS, prepare=lambda source: None, weights=(WEIGHT_FILES["alex"],))
def _of_pair(source: object, result: Result) -> Mapping[str, Reading]:
    return dict.fromkeys(NAMES, ONLY_IN_CHAINS)
