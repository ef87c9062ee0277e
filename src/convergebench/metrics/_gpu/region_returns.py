"""All measurements by region of many returns at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from convergebench.metrics._gpu.base import sent
from convergebench.metrics._gpu.close_ups import CloseUps
from convergebench.metrics._gpu.flip import flip_features, maps_against, smoothed_maps
from convergebench.metrics._gpu.laying import laid_pictures, reduced_masks, without_margin
from convergebench.metrics._gpu.map_parts import device_parts, nearest
from convergebench.metrics._gpu.medians import medians_within
from convergebench.metrics._gpu.pictures import brought
from convergebench.metrics._gpu.region_edits import alignments, laid_small
from convergebench.metrics._gpu.region_located import located_parts
from convergebench.metrics._gpu.region_references import (
    FullParts,
    Referenced,
    RegionReferences,
    SmallParts,
    reduced,
)
from convergebench.metrics._gpu.region_restored import ToRestore, restored_shares
from convergebench.metrics._lpips_torch import TorchFeatures
from convergebench.metrics.base import Reading
from convergebench.metrics.regions._alignment import Alignment
from convergebench.metrics.regions.close_up import CloseUp, close_up
from convergebench.metrics.regions.footprint import Footprint, LocatedEdit
from convergebench.metrics.regions.map_parts import KEPT_SPAN, KEPT_START, MapPart
from convergebench.metrics.regions.maps import COARSE_SIDE, FOOTPRINT_SIDE
from convergebench.metrics.regions.measures import (
    NO_EDIT,
    collateral,
    edited_region,
    kept,
    rewritten,
    trace_of,
    undid,
    worst_region,
)
from convergebench.metrics.regions.returns import (
    ELSEWHERE,
    GLOBAL,
    NOTHING_LEFT,
    ReturnRegions,
    kept_unmoved,
)
from convergebench.types import Pixels

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from torch import Tensor


class ReturnToMeasure(NamedTuple):
    """A return in the size of its source, with this round's edit and the earlier footprints."""

    source: Referenced
    input: Referenced
    """Of the edit."""
    edit: LocatedEdit
    returned: Pixels
    earlier: Sequence[Footprint]

    @property
    def footprints(self) -> tuple[Footprint, ...]:
        return (*self.earlier, self.edit.footprint)


class _Batch(NamedTuple):
    """Returns of one size, on the device."""

    items: Sequence[ReturnToMeasure]
    aligned: Sequence[Alignment]
    """To their sources."""
    pictures: Tensor
    edited: Tensor
    """The footprints of all rounds so far, at full size."""
    small: Tensor
    of_small: float
    """Pixels per degree."""
    sources: SmallParts
    inputs: SmallParts
    full: FullParts
    forward: Tensor
    """Forward pictures at the footprint's size; the masks below have it, too."""
    masks: Tensor
    cores: Tensor
    all_masks: Tensor
    close_ups: Sequence[CloseUp | None]
    """Around the footprints of all rounds so far; None where this round has none."""

    @property
    def degree(self) -> float:
        return self.items[0].source.picture.pixels_per_degree

    def coarse_maps(self, pictures: Tensor, places: Tensor | slice = slice(None)) -> Tensor:
        """Smoothed, of these pictures against the sources at these places."""
        coarse, of_coarse = reduced(pictures, COARSE_SIDE, self.degree)
        return smoothed_maps(maps_against(self.full.of_coarse[places], coarse, of_coarse))


def measured_returns(
    items: Sequence[ReturnToMeasure],
    references: RegionReferences,
    network: TorchFeatures | str,
    device: str,
) -> list[ReturnRegions]:
    """Like `measure_return`, of pictures of one size. `network` is the reason if LPIPS is unavailable."""
    import torch

    batch = _batch(items, references, device)
    maps = maps_against(batch.full.features, batch.pictures, batch.degree)
    smooth = smoothed_maps(maps)
    parts = device_parts(smooth, batch.edited)
    coarse = batch.coarse_maps(batch.pictures)
    numbers = [maps.mean((1, 2), dtype=torch.float64), smooth.amax((1, 2)), _left(batch), *_traces(batch)]
    found = _Found(
        torch.stack([each.double() for each in numbers], dim=1).cpu().numpy(),
        coarse.cpu().numpy(),
        [parts.of(place) for place in range(len(items))],
    )
    as_it_is = [
        kept(outside, item.footprints) if item.edit.scope == "local" else GLOBAL
        for item, (_, outside) in zip(items, found.parts, strict=True)
    ]
    registered = _registered(batch, as_it_is, network)
    restored = _restored(batch, range(len(items)), batch.pictures, coarse, None, network)
    left = _left_after_registration(batch, found.numbers[:, 2].tolist())
    return [
        _regions(item, found, place, as_it_is[place], restored, registered, left[place], batch.aligned[place])
        for place, item in enumerate(items)
    ]


def _batch(items: Sequence[ReturnToMeasure], references: RegionReferences, device: str) -> _Batch:
    pictures = brought([item.returned for item in items], device)
    sources = references.small([item.source for item in items])
    small, of_small = reduced(pictures, FOOTPRINT_SIDE, items[0].source.picture.pixels_per_degree)
    forward, masks, cores = located_parts([item.edit for item in items], device)
    shape = (masks.shape[1], masks.shape[2])
    regions = [edited_region(item.footprints, shape) for item in items]
    all_masks = brought(regions, device).bool() if any(item.earlier for item in items) else masks
    return _Batch(
        items=items,
        aligned=alignments(sources.levels, small),
        pictures=pictures,
        edited=nearest(all_masks, *pictures.shape[1:3]),
        small=small,
        of_small=of_small,
        sources=sources,
        inputs=references.small([item.input for item in items]),
        full=references.full([item.source for item in items]),
        forward=forward,
        masks=masks,
        cores=cores,
        all_masks=all_masks,
        close_ups=[
            None if item.edit.footprint.is_empty else close_up(region)
            for item, region in zip(items, regions, strict=True)
        ],
    )


class _Found(NamedTuple):
    """On the processor, by place in the batch."""

    numbers: NDArray[np.float64]
    """Mean, peak, share left behind, and three products for the trace."""
    coarse: NDArray[np.float32]
    parts: Sequence[tuple[MapPart, MapPart]]
    """Inside and outside."""


class _Registered(NamedTuple):
    """What registration changes, by place."""

    kept: dict[int, Reading]
    restored: dict[int, Reading]


def _regions(
    item: ReturnToMeasure,
    found: _Found,
    place: int,
    as_it_is: Reading,
    restored: dict[int, Reading],
    registered: _Registered,
    left: float,
    alignment: Alignment,
) -> ReturnRegions:
    mean, peak, _, *products = (float(number) for number in found.numbers[place])
    inside, outside = found.parts[place]
    edit, is_local = item.edit, item.edit.scope == "local"
    height, width, _ = item.returned.shape
    trace = trace_of(*products) if is_local else 0.0
    return ReturnRegions(
        flip=mean,
        flip_peak=peak,
        flip_area=(inside.visible + outside.visible) / (height * width),
        footprint=edit.footprint.share,
        undid=_undid(restored.get(place, NO_EDIT), registered.restored.get(place), trace),
        left_behind=NO_EDIT if edit.footprint.is_empty else left,
        kept=as_it_is,
        kept_registered=registered.kept.get(place, kept_unmoved(alignment, as_it_is)),
        collateral=collateral(outside) if is_local else GLOBAL,
        rewritten=rewritten(inside),
        inside=inside.histogram,
        outside=outside.histogram,
        worst=worst_region(found.coarse[place], (height, width)),
    )


def _undid(as_it_is: Reading, registered: Reading | None, trace: float) -> Reading:
    if isinstance(as_it_is, str):
        return as_it_is
    return undid(as_it_is, registered if isinstance(registered, float) else as_it_is, trace)


def _left(batch: _Batch, places: Tensor | slice = slice(None), small: Tensor | None = None) -> Tensor:
    """The share of each core in which the return is more like the forward picture than like the input."""
    import torch

    features = flip_features(batch.small if small is None else small, batch.of_small)
    to_forward, to_input = (
        smoothed_maps(maps_against(features, each[places], batch.of_small))
        for each in (batch.forward, batch.inputs.small)
    )
    cores = batch.cores[places]
    is_left = (to_forward < to_input) & cores
    counts = cores.sum((1, 2), dtype=torch.float64)
    return is_left.sum((1, 2), dtype=torch.float64) / counts.clamp(min=1)


def _left_after_registration(batch: _Batch, shares: list[float]) -> list[float]:
    """Where something seems to be left, with the return laid on its input."""

    places = [place for place, share in enumerate(shares) if share > NOTHING_LEFT]
    if not places:
        return shares
    chosen = sent(places, batch.small.device)
    aligned = [batch.aligned[place] for place in places]
    others = [
        number
        for number, place in enumerate(places)
        if batch.items[place].input.digest != batch.items[place].source.digest
    ]
    if others:
        levels = [level.of(chosen[others]) for level in batch.inputs.levels]
        for number, alignment in zip(others, alignments(levels, batch.small[chosen[others]]), strict=True):
            aligned[number] = alignment
    small, _ = laid_small(batch.pictures[chosen], batch.small[chosen], aligned, [True] * len(places))
    again = dict(zip(places, _left(batch, chosen, small).tolist(), strict=True))
    return [again.get(place, share) for place, share in enumerate(shares)]


def _traces(batch: _Batch) -> tuple[Tensor, Tensor, Tensor]:
    """The products for `trace_of`: of what is left with the edit, and of each with itself, over the core."""
    import torch

    remains = batch.small.short() - batch.sources.small
    around = remains[:, ::4, ::4].permute(0, 3, 1, 2).flatten(2).float()
    is_rest = ~batch.all_masks[:, ::4, ::4].flatten(1)
    cast = medians_within(around, is_rest[:, None].expand_as(around))
    core = batch.cores[..., None]
    left = (remains.double() - cast[:, None, None]) * core
    edit = (batch.forward.short() - batch.inputs.small).double() * core
    common, of_edit, of_left = (
        (a * b).sum((1, 2, 3), dtype=torch.float64) for a, b in ((left, edit), (edit, edit), (left, left))
    )
    return common, of_edit, of_left


def _registered(batch: _Batch, as_it_is: Sequence[Reading], network: TorchFeatures | str) -> _Registered:
    """`kept_registered` and what was restored, of returns that moved."""
    import torch

    height, width = batch.pictures.shape[1:3]
    matrices = {
        place: alignment.matrix
        for place, alignment in enumerate(batch.aligned)
        if alignment.matrix is not None and alignment.moved(height, width)
    }
    if not matrices:
        return _Registered({}, {})
    places = sent(list(matrices), batch.pictures.device)
    laid, covered = laid_pictures(batch.pictures[places], list(matrices.values()))
    reached = without_margin(covered)
    smooth = smoothed_maps(maps_against(batch.full.features[places], laid, batch.degree))
    rest = ~batch.edited[places] & reached
    unlike = (smooth.sub(KEPT_START).div_(KEPT_SPAN).clamp_(0, 1) * rest).sum((1, 2), dtype=torch.float64)
    kept_again: dict[int, Reading] = {}
    for place, pixels, total in zip(matrices, rest.sum((1, 2)).tolist(), unlike.tolist(), strict=True):
        before = as_it_is[place]
        if isinstance(before, str) or before == 0:
            continue
        found = kept(MapPart(pixels, 0, total, ()), batch.items[place].footprints)
        kept_again[place] = found if isinstance(found, str) else max(before, found)
    far = [
        number
        for number, place in enumerate(matrices)
        if batch.aligned[place].moved(height, width, ELSEWHERE * max(height, width))
    ]
    if not far:
        return _Registered(kept_again, {})
    restored = _restored(
        batch,
        [list(matrices)[number] for number in far],
        laid[far],
        batch.coarse_maps(laid[far], places[far]),
        reached[far],
        network,
    )
    return _Registered(kept_again, restored)


def _restored(
    batch: _Batch,
    places: Sequence[int],
    results: Tensor,
    coarse: Tensor,
    reached: Tensor | None,
    network: TorchFeatures | str,
) -> dict[int, Reading]:
    """What was restored by results at these places, of the part that they reach; none of an empty edit."""

    boxes = [(number, batch.close_ups[place]) for number, place in enumerate(places)]
    shown = {number: box for number, box in boxes if box is not None}
    numbers, chosen = list(shown), [places[number] for number in shown]
    if isinstance(network, str) or not chosen:
        return dict.fromkeys(chosen, str(network))
    at = sent(chosen, results.device)
    height, width = results.shape[1:3]
    edited, masks, all_masks = batch.edited[at], batch.masks[at], batch.all_masks[at]
    if reached is not None:
        edited = edited & reached[numbers]
        reached_small = reduced_masks(reached[numbers], *masks.shape[1:])
        masks, all_masks = masks & reached_small, all_masks & reached_small
    parts = ToRestore(
        batch.full.pixels[at],
        results[numbers],
        coarse[numbers],
        edited,
        masks,
        all_masks,
        CloseUps(list(shown.values()), height, width),
    )
    shares = restored_shares(parts, network).tolist()
    return {
        place: NO_EDIT if math.isnan(share) else share for place, share in zip(chosen, shares, strict=True)
    }
