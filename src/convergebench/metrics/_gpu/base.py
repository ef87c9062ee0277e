"""What a metric is on a GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from torch import Tensor


class GpuMetric(Protocol):
    """A number from what a source and a result are to the metric, for many of one size at once."""

    def unfit(self, height: int, width: int) -> str | None:
        """Why pictures of this size have no value, or None if they have one."""

    def features(self, pictures: Tensor) -> tuple[Tensor, ...]:
        """What depends on one picture alone; pictures are N × height × width × 3, whole numbers up to 255."""

    def values(self, sources: tuple[Tensor, ...], results: tuple[Tensor, ...]) -> Tensor:
        """The i-th result against the i-th source."""
