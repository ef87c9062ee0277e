"""What is measured of many smoothed maps inside their regions and outside."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from convergebench.metrics._gpu.base import has_kernels
from convergebench.metrics.flip import VISIBLE
from convergebench.metrics.regions.map_parts import BINS, KEPT_SPAN, KEPT_START, MapPart

if TYPE_CHECKING:
    import torch
    from numpy.typing import NDArray
    from torch import Tensor


class DeviceParts(NamedTuple):
    """Of each map, the part outside its region and the part inside, on the processor."""

    histograms: NDArray[np.int64]
    """N × 2 × BINS."""
    sums: NDArray[np.float64]
    """N × 2 × 2: visible pixels, and the sum of `MapPart.unlike`."""

    def of(self, place: int) -> tuple[MapPart, MapPart]:
        """Inside and outside, like `map_parts`."""
        outside, inside = (
            MapPart(sum(counts), int(visible), unlike, tuple(counts))
            for counts, (visible, unlike) in zip(
                self.histograms[place].tolist(), self.sums[place].tolist(), strict=True
            )
        )
        return inside, outside


def device_parts(maps: Tensor, regions: Tensor) -> DeviceParts:
    """Maps are N × height × width, regions masks of the same size."""
    if has_kernels(maps):
        from convergebench.metrics._gpu.map_parts_kernel import part_sums
    else:
        part_sums = _part_sums
    histograms, sums = part_sums(maps, regions)
    return DeviceParts(histograms.cpu().numpy(), sums.cpu().numpy())


def _part_sums(maps: Tensor, regions: Tensor) -> tuple[Tensor, Tensor]:
    import torch

    count = len(maps)
    bins = (maps * BINS).int().clamp_(max=BINS - 1).add_(regions, alpha=BINS)
    bins += 2 * BINS * torch.arange(count, device=maps.device, dtype=torch.int32)[:, None, None]
    histograms = torch.bincount(bins.flatten(), minlength=2 * BINS * count).view(count, 2, BINS)
    ramps = maps.sub(KEPT_START).div_(KEPT_SPAN).clamp_(0, 1)
    sums = []
    for values in (maps > VISIBLE, ramps):
        total = values.sum((1, 2), dtype=torch.float64)
        inside = (values * regions).sum((1, 2), dtype=torch.float64)
        sums.append(torch.stack([total - inside, inside], dim=1))
    return histograms, torch.stack(sums, dim=2)


def nearest(masks: Tensor, height: int, width: int) -> Tensor:
    """Like `resized_mask`, for masks of reduced pictures at their original size."""
    rows, columns = (
        _nearest_places(size, to, masks.device)
        for size, to in zip(masks.shape[1:], (height, width), strict=True)
    )
    return masks[:, rows][:, :, columns]


@lru_cache(maxsize=64)
def _nearest_places(size: int, to: int, device: torch.device) -> Tensor:
    import torch

    places = np.minimum(np.floor(np.arange(to) * (size / to)), size - 1)
    return torch.from_numpy(places.astype(np.int64)).to(device)
