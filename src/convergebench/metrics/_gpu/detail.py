"""Detail drift of many pictures at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from convergebench.metrics._gpu.base import has_kernels, on_device
from convergebench.metrics._gpu.medians import medians_within
from convergebench.metrics.base import refusal
from convergebench.metrics.drift.detail import (
    BLOCK,
    LARGEST_STEP,
    MEDIAN_OVER_MEAN,
    SIGMAS,
    BlockMaps,
    Blocks,
    blocks_of,
    borders,
    detail_of,
    readings_of,
    refuse_small,
    shares_of_white_noise,
)

if TYPE_CHECKING:
    import torch
    from numpy.typing import NDArray
    from torch import Tensor

    from convergebench.metrics._reader import PixelPair

_RED, _GREEN, _BLUE, _SHIFT = 9798, 19235, 3735, 15
"""OpenCV's luma in whole numbers."""


class DetailOnGpu:
    """Means over blocks, their means and medians are made on the device; of a source, by the functions of the
    processor."""

    def unfit(self, height: int, width: int) -> str | None:
        return refusal(refuse_small, height, width)

    def features(self, pictures: Tensor) -> tuple[Tensor, ...]:
        """Energies, noise by block and blocking of the source, and which blocks are free and flat."""
        import torch

        maps = [part.double().cpu().numpy() for part in _maps(pictures)]
        rows = []
        for place, picture in enumerate(pictures):
            blocks = blocks_of(picture.cpu().numpy())
            found = detail_of(BlockMaps(*(part[place] for part in maps)), blocks)
            free, flat = _masks(blocks, len(maps[1][place]))
            rows.append((found.energies, maps[2][place], np.array(found.blocking), free, flat))
        stacked = (torch.from_numpy(np.stack(part)) for part in zip(*rows, strict=True))
        return tuple(part.to(pictures.device) for part in stacked)

    def summaries(self, sources: tuple[Tensor, ...], results: Tensor) -> list[Tensor]:
        """Energies before and after, three medians of the noise, and the growth of blocking."""
        import torch

        energies, noise, blocking, free, flat = sources
        bands, noise_of_luma, noise_after, *steps = _maps(results)
        noises = torch.stack([noise_of_luma.double(), noise, noise_after.double(), noise_after - noise])
        of_luma, *medians = medians_within(noises, flat.expand_as(noises))
        after = _energies(bands, free, of_luma)
        excess = [part @ _blocking_weights(part.shape[1], part.device) for part in steps]
        return [*energies.unbind(1), *after.unbind(1), *medians, sum(excess) / 2 - blocking]

    def readings(self, summaries: Sequence[NDArray[Any]], pair: PixelPair) -> Mapping[str, float | str]:
        numbers = [float(number) for number in summaries]
        return readings_of(numbers[:3], numbers[3:6], numbers[6:9], numbers[9])


def _energies(bands: Tensor, free: Tensor, noise: Tensor) -> Tensor:
    """Like those of `detail_of`, N × 3."""
    import torch

    count = free.sum(1, keepdim=True)
    low, mid, high = (bands.double() * free[:, None]).unbind(1)
    means = torch.stack([each.sum(1) for each in (low, mid, high)], dim=1) / count
    variance = ((bands[:, 0].double() - means[:, :1]).square() * free).sum(1) / count[:, 0]
    found = torch.stack([variance, means[:, 1], means[:, 2]], dim=1)
    shares = on_device(shares_of_white_noise(), bands.device)
    return found - noise[:, None].double() / MEDIAN_OVER_MEAN * shares


@lru_cache(maxsize=64)
def _blocking_weights(count: int, device: torch.device) -> Tensor:
    """Of the mean step at borders of blocks, less the mean beside them."""
    import torch

    at_border, beside = borders(count)
    weights = at_border / max(1, at_border.sum()) - beside / max(1, beside.sum())
    return torch.from_numpy(weights).to(device)


def _masks(blocks: Blocks, count: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    free, flat = np.zeros((2, count), bool)
    free[blocks.free] = flat[blocks.flat] = True
    return free, flat


def _maps(pictures: Tensor) -> tuple[Tensor, ...]:
    """The fields of `BlockMaps` for each picture."""
    import torch

    windows = [half_gaussian(sigma) for sigma in SIGMAS]
    if has_kernels(pictures) and min(pictures.shape[1:3]) >= len(windows[-1]):
        from convergebench.metrics._gpu.detail_kernel import block_means

        grey, *means = block_means(pictures, *windows)
        return *means, *(_mean_steps(grey.short(), axis) for axis in (2, 1))
    grey = luma(pictures)
    fine, coarse = (_blurred(grey.float(), window) for window in windows)
    bands = [coarse, (fine - coarse).square_(), (grey - fine).square_()]
    return (
        torch.stack([_block_means(band, BLOCK).flatten(1) for band in bands], dim=1),
        _noise(grey[..., None]),
        _noise(pictures.int()),
        *(_mean_steps(grey, axis) for axis in (2, 1)),
    )


def luma(pictures: Tensor) -> Tensor:
    """Whole numbers, N × height × width, as OpenCV rounds them."""
    red, green, blue = pictures.int().unbind(-1)
    return (red * _RED + green * _GREEN + blue * _BLUE + (1 << (_SHIFT - 1))) >> _SHIFT


def _mean_steps(grey: Tensor, axis: int) -> Tensor:
    import torch

    steps = grey.diff(dim=axis).abs_().clamp_(max=LARGEST_STEP)
    return steps.mean(3 - axis, dtype=torch.float64)


def _noise(values: Tensor) -> Tensor:
    height, width = (size // BLOCK * BLOCK for size in values.shape[1:3])
    v = values[:, :height, :width]
    diagonal = v[:, ::2, ::2] - v[:, 1::2, ::2] - v[:, ::2, 1::2] + v[:, 1::2, 1::2]
    return _block_means(diagonal.square_().float().mean(-1) / 4, BLOCK // 2).flatten(1)


def _block_means(planes: Tensor, side: int) -> Tensor:
    from torch.nn import functional

    return functional.avg_pool2d(planes[:, None], side)[:, 0]


def _blurred(planes: Tensor, weights: Sequence[float]) -> Tensor:
    """OpenCV's Gaussian of floats: the border is mirrored, without repeating the last pixel."""
    from torch.nn import functional

    reach = len(weights) - 1
    for axis in (1, 2):
        length = planes.shape[axis]
        if reach >= length:
            places = mirrored(length, reach)
            padded = planes.index_select(axis, places.to(planes.device))
        else:
            sides = (0, 0, reach, reach) if axis == 1 else (reach, reach, 0, 0)
            padded = functional.pad(planes[:, None], sides, mode="reflect")[:, 0]
        total = padded.narrow(axis, reach, length) * weights[0]
        for step, weight in enumerate(weights[1:], start=1):
            before, after = (padded.narrow(axis, reach + way * step, length) for way in (-1, 1))
            total.add_(before + after, alpha=weight)
        planes = total
    return planes


@lru_cache(maxsize=4)
def half_gaussian(sigma: float) -> tuple[float, ...]:
    """From the centre outwards, four standard deviations."""
    reach = round(sigma * 8 + 1) // 2
    bell = np.exp(-np.square(np.arange(-reach, reach + 1)) / (2 * sigma**2))
    return tuple((bell / bell.sum())[reach:].tolist())


def mirrored(length: int, reach: int) -> Tensor:
    """Where each place of a padded row comes from, also where the border is longer than the row."""
    import torch

    places = torch.arange(-reach, length + reach)
    if length == 1:
        return torch.zeros_like(places)
    period = 2 * (length - 1)
    places = places % period
    return torch.minimum(places, period - places)
