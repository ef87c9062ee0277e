"""LPIPS of many pictures at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from convergebench.metrics._gpu.recorded import Recorded
from convergebench.metrics._gpu.resampling import Scaling, resized
from convergebench.metrics._lpips_torch import TorchFeatures

if TYPE_CHECKING:
    from torch import Tensor


class LpipsOnGpu:
    """LPIPS at a fixed size, or at the pictures' own size, which then has a minimum."""

    def __init__(self, features: TorchFeatures, side: int | None, smallest_side: int, name: str) -> None:
        self._taps: Callable[[Tensor], tuple[Tensor, ...]] = features.taps
        if side is not None and features.device != "cpu":
            self._taps = Recorded(features.taps, (3, side, side))
        self._side = side
        self._smallest_side = smallest_side
        self._name = name

    def unfit(self, height: int, width: int) -> str | None:
        if self._side is not None or min(height, width) >= self._smallest_side:
            return None
        return (
            f"{self._name} needs at least {self._smallest_side} pixels on each side; "
            f"this picture has {width} × {height}"
        )

    def features(self, pictures: Tensor) -> tuple[Tensor, ...]:
        height, width = pictures.shape[1:3]
        if self._side is None or (height, width) == (self._side, self._side):
            return self._taps(pictures.permute(0, 3, 1, 2).float())
        rows, columns = (Scaling(n, self._side, "bilinear") for n in (height, width))
        return self._taps(resized(pictures, rows, columns))

    def values(self, sources: tuple[Tensor, ...], results: tuple[Tensor, ...]) -> Tensor:
        taps = [(a - b).square_().mean((1, 2, 3)) for a, b in zip(sources, results, strict=True)]
        return sum(taps[1:], start=taps[0])
