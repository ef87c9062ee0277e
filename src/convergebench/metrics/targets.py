"""Distance of a result to the picture that it should equal, and to the source outside the edit's mask.

L1 and L2 are MagicBrush's: the mean absolute and the mean squared difference of all channels, from 0 to 1, at
the target's size. PIE-Bench measures fidelity outside a mask; here a mean is taken over the pixels outside it
alone, where PIE-Bench's own program divides by the whole area.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from convergebench.metrics.base import Reading, Result, family
from convergebench.types import Better, MetricFacts, Pixels

if TYPE_CHECKING:
    from numpy.typing import NDArray

VERSION = "1"
ONLY_WITH_TARGETS = "measured only where the suite has targets or masks"
NO_TARGET, NO_MASK = "the suite has no target for it", "the suite has no mask for it"
NOTHING_INSIDE, NOTHING_OUTSIDE = "the mask is empty", "the mask covers the whole picture"


def _facts(name: str, summary: str, better: Better = "lower", unit: str = "") -> MetricFacts:
    perfect, worst = (math.inf, 0.0) if better == "higher" else (0.0, 1.0)
    return MetricFacts(name, VERSION, better, perfect, worst, "region", unit, summary)


FACTS = (
    _facts("target_l1", "Mean absolute difference to the target."),
    _facts("target_l2", "Mean squared difference to the target."),
    _facts("target_l1_inside", "The same as target_l1, inside the mask."),
    _facts("target_l1_outside", "The same as target_l1, outside the mask."),
    _facts("target_l2_inside", "The same as target_l2, inside the mask."),
    _facts("target_l2_outside", "The same as target_l2, outside the mask."),
    _facts("source_l2_outside", "Mean squared difference to the source outside the mask."),
    _facts("source_psnr_outside", "PSNR to the source outside the mask.", "higher", "dB"),
)
NAMES = tuple(facts.name for facts in FACTS)


def target_distances(
    source: Pixels, picture: Pixels, target: Pixels | None, mask: Pixels | None
) -> dict[str, Reading]:
    """All distances of a result, by name, or the reason why there is none. All pictures have one size."""
    inside = None if mask is None else mask.mean(axis=2) >= 128
    found: dict[str, Reading] = {}
    for name, reference, reason in (("target", target, NO_TARGET), ("source", source, "")):
        difference = None if reference is None else (picture.astype(np.float64) - reference) / 255
        found |= _distances(name, difference, inside, reason)
    outside = found["source_l2_outside"]
    psnr: Reading = outside if isinstance(outside, str) else _psnr(outside)
    return {name: found[name] for name in NAMES if name in found} | {"source_psnr_outside": psnr}


def _distances(
    name: str, difference: NDArray[np.float64] | None, inside: NDArray[np.bool_] | None, reason: str
) -> dict[str, Reading]:
    found: dict[str, Reading] = {}
    for kind, values in (("l1", np.abs), ("l2", np.square)):
        each = None if difference is None else values(difference)
        found[f"{name}_{kind}"] = reason if each is None else float(each.mean())
        for place, empty in (("inside", NOTHING_INSIDE), ("outside", NOTHING_OUTSIDE)):
            if each is None or inside is None:
                found[f"{name}_{kind}_{place}"] = reason if each is None else NO_MASK
                continue
            chosen = each[inside if place == "inside" else ~inside]
            found[f"{name}_{kind}_{place}"] = float(chosen.mean()) if chosen.size else empty
    return found


def _psnr(squared: float) -> float:
    return math.inf if squared == 0 else -10 * math.log10(squared)


@family("targets", *FACTS, prepare=lambda source: None)
def _of_pair(source: object, result: Result) -> Mapping[str, Reading]:
    return dict.fromkeys(NAMES, ONLY_WITH_TARGETS)
