"""The definition of a metric on a GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from torch import Tensor


class GpuMetric(Protocol):
    """Computes a number from the features of a source and a result, for many pictures of one size at once."""

    def unfit(self, height: int, width: int) -> str | None:
        """The reason why pictures of this size have no value, or None if they have one."""

    def features(self, pictures: Tensor) -> tuple[Tensor, ...]:
        """The features of each picture alone. Pictures are N × height × width × 3, whole numbers up to
        255."""

    def values(self, sources: tuple[Tensor, ...], results: tuple[Tensor, ...]) -> Tensor:
        """Compare the i-th result with the i-th source."""
