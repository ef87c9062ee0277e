"""How far many sources are back where they were edited, seen in close-ups."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from convergebench.metrics._gpu.close_ups import CloseUps, close_up_levels, in_cells, structural_differences
from convergebench.metrics._lpips_torch import TorchFeatures
from convergebench.metrics.regions.measures import (
    STRUCTURE_SPAN,
    STRUCTURE_START,
    UNDID_SPAN,
    UNDID_START,
)

if TYPE_CHECKING:
    from torch import Tensor


class ToRestore(NamedTuple):
    """Sources and results of one size, with the close-ups to compare."""

    sources: Tensor
    results: Tensor
    coarse: Tensor
    """The smoothed maps at the coarse size."""
    edited: Tensor
    """Masks at full size: around them the close-up of the result shows the source."""
    masks: Tensor
    """This round's footprints, at the footprint's size."""
    all_masks: Tensor
    """The footprints of all rounds so far."""
    boxes: CloseUps


def restored_shares(parts: ToRestore, network: TorchFeatures) -> Tensor:
    """Like `restored`, for each picture; not a number where nothing of this round's footprint is left."""
    import torch

    laid_into = torch.where(parts.edited[..., None], parts.results, parts.sources)
    structural = structural_differences(
        network,
        close_up_levels(parts.sources, parts.boxes),
        close_up_levels(laid_into, parts.boxes),
        parts.boxes,
    )
    visible = in_cells(parts.coarse, parts.boxes)
    difference = torch.maximum(
        ((visible - UNDID_START) / UNDID_SPAN).clamp(0, 1),
        ((structural - STRUCTURE_START) / STRUCTURE_SPAN).clamp(0, 1),
    ).double()
    there = parts.boxes.cells().on(difference.device).mask(*difference.shape[1:])
    means = []
    for masks in (parts.masks, parts.all_masks):
        shares = in_cells(masks.float(), parts.boxes)
        part = (shares >= shares.amax((1, 2)).clamp(max=0.5)[:, None, None]) & there
        means.append((difference * part).sum((1, 2)) / part.sum((1, 2)).clamp(min=1))
    found = 1 - torch.stack(means).amax(0)
    return torch.where(parts.masks.flatten(1).any(1), found, torch.nan)
