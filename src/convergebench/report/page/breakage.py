"""What a return broke, drawn over it: the part of the edit that is left behind, what was rewritten where it
was edited, and what changed elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from convergebench.analysis import Return
from convergebench.metrics import MetricOptions
from convergebench.metrics._lpips_map import lpips_with
from convergebench.metrics.flip import VISIBLE, flip_against, smoothed
from convergebench.metrics.regions import ReferencePicture
from convergebench.metrics.regions.maps import FOOTPRINT_SIDE, Mask, shrunk
from convergebench.metrics.regions.measures import edited_region
from convergebench.metrics.regions.returns import NOTHING_LEFT
from convergebench.picture import resized_to
from convergebench.protocols import RETURN_ROLES
from convergebench.report.page.palette_png import palette_png
from convergebench.results.footprints import Footprints, footprint_of
from convergebench.results.steps import StepRecord
from convergebench.types import Digest, Pixels

SIDE = 512
"""The longer side of a drawing, in pixels: visible differences are found at this size."""
KINDS = (("left behind", (230, 0, 126)), ("rewritten", (0, 162, 255)), ("collateral", (255, 176, 0)))
_ALPHA = 150


@dataclass(frozen=True)
class ReturnedRound:
    """One round of a trajectory, by the digests of its pictures."""

    source: Digest
    input: Digest
    forward: Digest
    returned: Digest
    edits: tuple[tuple[Digest, Digest], ...]
    """Input and forward picture of this round and of those before it."""
    left_behind: float | None

    @property
    def name(self) -> str:
        """Of the file. What was edited before is in it by number: the chain leads to these pictures."""
        return f"{self.returned[:2]}/{self.forward}-{self.returned}-{len(self.edits)}.png"


def returned_rounds(
    steps: Iterable[StepRecord], returns: Mapping[int, Return], known: Footprints
) -> Iterator[tuple[int, ReturnedRound]]:
    """The rounds of one trajectory whose edits were all located, by number."""
    edits: list[tuple[Digest, Digest]] = []
    source: Digest | None = None
    for step in steps:
        source = source or step.inputs[0]
        if step.picture is None:
            return
        if step.role not in RETURN_ROLES:
            if (step.inputs[0], step.picture) not in known:
                return
            edits.append((step.inputs[0], step.picture))
        elif edits and step.round in returns:
            left = returns[step.round].values.get("left_behind")
            yield (
                step.round,
                ReturnedRound(source, *edits[-1], step.picture, tuple(edits), left.value if left else None),
            )


def drawn_breakage(one: ReturnedRound, known: Footprints, load: Callable[[Digest], Pixels]) -> bytes:
    """A PNG file, transparent where nothing broke."""
    footprints = [footprint_of(known[edit]) for edit in one.edits]
    whole = load(one.source)
    height, width = whole.shape[:2]
    source = ReferencePicture(whole, flip_against, lpips_with(MetricOptions()))
    returned = resized_to(load(one.returned), width, height)
    visible = source.difference(shrunk(returned, SIDE)).smoothed > VISIBLE
    edited = edited_region(footprints, (visible.shape[0], visible.shape[1]))
    kinds = np.zeros(visible.shape, np.uint8)
    kinds[visible & edited] = 2
    kinds[visible & ~edited] = 3
    if (one.left_behind or 0.0) > NOTHING_LEFT:
        others = (resized_to(load(digest), width, height) for digest in (one.forward, one.input))
        small, forward, given = (shrunk(picture, FOOTPRINT_SIDE) for picture in (returned, *others))
        left = _left_behind(source, small, forward, given, footprints[-1].core)
        kinds[_stretched(left, visible.shape)] = 1
    return _png(kinds)


def _left_behind(
    source: ReferencePicture, returned: Pixels, forward: Pixels, input: Pixels, core: Mask
) -> Mask:
    """Where the return is more like the forward picture than like that round's input."""
    against_return = source.compared_by(returned)
    to_forward, to_input = (smoothed(against_return(one)) for one in (forward, input))
    return np.asarray(core & (to_forward < to_input))


def _stretched(mask: Mask, shape: tuple[int, ...]) -> Mask:
    import cv2

    size = (shape[1], shape[0])
    return np.asarray(cv2.resize(mask.astype(np.uint8), size, interpolation=cv2.INTER_NEAREST) > 0)


def _png(kinds: Any) -> bytes:
    palette = bytes([0, 0, 0, *(level for _, colour in KINDS for level in colour)])
    return palette_png(kinds, palette, alpha=bytes([0, *[_ALPHA] * len(KINDS)]))
