"""Distance of a result to the picture that it should equal, and to the source outside the edit's mask.

L1 and L2 are MagicBrush's: the mean absolute and the mean squared difference of all channels, from 0 to 1, at
the target's size. Outside a mask, a mean is taken over the pixels outside it alone. PIE-Bench's own program
blackens both pictures inside the mask and compares the whole area; its figures are those called masked. In a
session, the source is compared outside the masks of all turns so far.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from convergebench.metrics.base import Reading, Result, family
from convergebench.types import Better, MetricFacts, Pixels

if TYPE_CHECKING:
    from numpy.typing import NDArray

VERSION = "1"
ONLY_WITH_TARGETS = "measured only where the suite has targets, masks or captions"
NO_TARGET, NO_MASK = "the suite has no target for it", "the suite has no mask for it"
NOTHING_INSIDE, NOTHING_OUTSIDE = "the mask is empty", "the mask covers the whole picture"


def _facts(name: str, summary: str, better: Better = "lower", unit: str = "") -> MetricFacts:
    perfect, worst = (math.inf if unit else 1.0, 0.0) if better == "higher" else (0.0, 1.0)
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
    _facts("masked_mse", "PIE-Bench's MSE: to the source, both black inside the mask."),
    _facts("masked_psnr", "The same as masked_mse, as PSNR.", "higher", "dB"),
    _facts("masked_ssim", "PIE-Bench's SSIM: to the source, both black inside the mask.", "higher"),
)
MASKED_LPIPS, CLIP_TEXT = "masked_lpips", "clip_text"
LEARNED = (
    _facts(
        MASKED_LPIPS, "LPIPS (AlexNet) to the source, both black inside the mask, where LPIPS is measured."
    ),
    _facts(
        CLIP_TEXT, "CLIP-T: cosine of the result and the set's caption, where CLIP is measured.", "higher"
    ),
)
"""Figures by networks; their versions are those of the networks."""
NAMES = tuple(facts.name for facts in FACTS)


def target_distances(
    source: Pixels,
    picture: Pixels,
    target: Pixels | None,
    mask: Pixels | None,
    earlier: Sequence[Pixels | None] = (),
) -> dict[str, Reading]:
    """All distances of a result, by name, or the reason why there is none. All pictures have one size.

    `earlier` are the masks of edits before, which the target shows and the source does not."""
    found: dict[str, Reading] = {}
    inside, edited = edited_area(mask), edited_area(mask, earlier)
    for name, reference, where, reason in (
        ("target", target, inside, NO_TARGET),
        ("source", source, edited, ""),
    ):
        difference = None if reference is None else (picture.astype(np.float64) - reference) / 255
        found |= _distances(name, difference, where, reason)
    outside = found["source_l2_outside"]
    psnr: Reading = outside if isinstance(outside, str) else _psnr(outside)
    found |= {"source_psnr_outside": psnr, **_masked(source, picture, edited)}
    return {name: found[name] for name in NAMES}


def edited_area(mask: Pixels | None, earlier: Sequence[Pixels | None] = ()) -> NDArray[np.bool_] | None:
    """Inside any of the masks; None if one of them is not known."""
    masks = [one for one in (mask, *earlier) if one is not None]
    if len(masks) <= len(earlier):
        return None
    return np.asarray(np.any([one.mean(axis=2) >= 128 for one in masks], axis=0), np.bool_)


def blackened(picture: Pixels, inside: NDArray[np.bool_]) -> Pixels:
    return np.where(inside[..., None], np.uint8(0), picture)


def _masked(source: Pixels, picture: Pixels, inside: NDArray[np.bool_] | None) -> dict[str, Reading]:
    if inside is None:
        return dict.fromkeys(("masked_mse", "masked_psnr", "masked_ssim"), NO_MASK)
    before, after = (blackened(one, inside) / 255 for one in (source, picture))
    mse = float(np.square(before - after).mean())
    return {"masked_mse": mse, "masked_psnr": _psnr(mse), "masked_ssim": _gaussian_ssim(before, after)}


_WINDOW, _SIGMA = 11, 1.5


def _gaussian_ssim(one: NDArray[np.float64], two: NDArray[np.float64]) -> Reading:
    """With Gaussian windows, as torchmetrics has it by default; pictures from 0 to 1, the border left out."""
    import cv2

    if min(one.shape[:2]) < _WINDOW:
        return f"SSIM needs at least {_WINDOW} × {_WINDOW} pixels"

    def smooth(values: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(cv2.GaussianBlur(values, (_WINDOW, _WINDOW), _SIGMA), np.float64)

    mean_one, mean_two = smooth(one), smooth(two)
    spread = smooth(one * one) - mean_one**2 + smooth(two * two) - mean_two**2
    shared = smooth(one * two) - mean_one * mean_two
    c1, c2 = 0.01**2, 0.03**2
    ratio = (2 * mean_one * mean_two + c1) * (2 * shared + c2)
    found = ratio / ((mean_one**2 + mean_two**2 + c1) * (spread + c2))
    edge = _WINDOW // 2
    return float(found[edge:-edge, edge:-edge].mean())


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


@family("learned_targets", *LEARNED, prepare=lambda source: None)
def _learned_of_pair(source: object, result: Result) -> Mapping[str, Reading]:
    return dict.fromkeys((facts.name for facts in LEARNED), ONLY_WITH_TARGETS)
