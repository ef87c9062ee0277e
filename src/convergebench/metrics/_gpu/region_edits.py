"""The footprints of many forward edits at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from convergebench.metrics._gpu.base import on_device, sent
from convergebench.metrics._gpu.flip import maps_against, smoothed_maps
from convergebench.metrics._gpu.laying import laid_pictures, reduced_masks, without_margin
from convergebench.metrics._gpu.medians import medians_within
from convergebench.metrics._gpu.pictures import brought, fetched
from convergebench.metrics._gpu.region_located import EditOnDevice, LocatedParts
from convergebench.metrics._gpu.region_references import Referenced, RegionReferences, reduced
from convergebench.metrics._gpu.registration import registered
from convergebench.metrics._gpu.registration_planes import DeviceLevel, registration_planes
from convergebench.metrics._gpu.resampling import averaged
from convergebench.metrics.flip import VISIBLE
from convergebench.metrics.regions._alignment import UNALIGNED, Alignment, alignment_by
from convergebench.metrics.regions.footprint import (
    LEAST_AREA,
    MOST_WEAR,
    RISE,
    Footprint,
    LocatedEdit,
    dilation_disc,
)
from convergebench.metrics.regions.maps import FOOTPRINT_SIDE, shrunk_size
from convergebench.metrics.regions.scope import EditScope
from convergebench.types import Pixels

if TYPE_CHECKING:
    from torch import Tensor


class EditToLocate(NamedTuple):
    """A forward picture, in the size of its input."""

    input: Referenced
    forward: Pixels
    scope: EditScope


def located_edits(
    edits: Sequence[EditToLocate], references: RegionReferences, device: str
) -> list[LocatedEdit]:
    """Like `locate_edit`, of pictures of one size. Forward pictures stay on the device."""
    import torch

    inputs = references.small([edit.input for edit in edits])
    pictures = brought([edit.forward for edit in edits], device)
    small, of_small = reduced(pictures, FOOTPRINT_SIDE, edits[0].input.picture.pixels_per_degree)
    is_local = [edit.scope == "local" for edit in edits]
    small, reached = laid_small(pictures, small, alignments(inputs.levels, small), is_local)
    change = smoothed_maps(maps_against(inputs.features, small, of_small))
    masks, cores, peaks = _footprints(change, reached, sent(is_local, small.device))
    visible = (change > VISIBLE).mean((1, 2), dtype=torch.float64)
    rows, (height, width) = LocatedParts(small, masks, cores).rows(), small.shape[1:3]
    both_masks = fetched(rows[:, 3 * height * width :]).view(bool).reshape(-1, 2, height, width)
    numbers = torch.stack([peaks.double(), visible], dim=1).tolist()
    located = []
    for edit, row, (mask, core), (peak, share) in zip(edits, rows, both_masks, numbers, strict=True):
        there, footprint = EditOnDevice(row, height, width), Footprint(mask, core, peak)
        made = LocatedEdit(edit.input.picture, there.small, share, footprint, edit.scope, on_device=there)
        located.append(made)
    return located


def laid_small(
    pictures: Tensor, small: Tensor, aligned: Sequence[Alignment], wanted: Sequence[bool]
) -> tuple[Tensor, Tensor]:
    """Like `Alignment.laid_small` where it is wanted: the pictures at the footprint's size, and masks of what
    they cover."""
    import torch

    size = shrunk_size(pictures.shape[1:3], 2 * FOOTPRINT_SIDE)
    reached = torch.ones(small.shape[:3], dtype=torch.bool, device=small.device)
    moved = {
        place: alignment.matrix
        for place, (alignment, is_wanted) in enumerate(zip(aligned, wanted, strict=True))
        if is_wanted and alignment.matrix is not None and alignment.moved(*size)
    }
    if not moved:
        return small, reached
    places = sent(list(moved), small.device)
    laid, covered = laid_pictures(averaged(pictures[places], *size), list(moved.values()))
    small = small.clone()
    small[places] = averaged(laid, *small.shape[1:3])
    reached[places] = reduced_masks(without_margin(covered), *small.shape[1:3])
    return small, reached


def alignments(levels: Sequence[DeviceLevel], small: Tensor) -> list[Alignment]:
    """Of each picture at the footprint's size to its reference."""
    if not levels:
        return [UNALIGNED] * len(small)
    return [alignment_by(fit) for fit in registered(levels, registration_planes(small))]


def _footprints(change: Tensor, reached: Tensor, is_local: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Masks, cores and peaks, as in `local_footprint` and `whole_footprint`."""
    import torch

    is_local = is_local[:, None, None]
    change = change * reached
    peaks = change.amax((1, 2))
    wear = medians_within(change.flatten(1), reached.flatten(1)).clamp(max=MOST_WEAR)
    raised = change > (wear.double() + RISE).float()[:, None, None]
    raised &= (raised.mean((1, 2), dtype=torch.float64) >= LEAST_AREA)[:, None, None]
    core = change >= (peaks / 2)[:, None, None]
    return _dilated(raised) | ~is_local, core & (raised | ~is_local), peaks


def _dilated(masks: Tensor) -> Tensor:
    """By OpenCV's disc."""
    from torch.nn import functional

    disc = on_device(dilation_disc(*masks.shape[1:]).astype(np.float32), masks.device)
    reach = len(disc) // 2
    return functional.conv2d(masks[:, None].float(), disc[None, None], padding=reach)[:, 0] > 0.5
