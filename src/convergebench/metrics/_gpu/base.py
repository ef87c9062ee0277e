"""The definition of a metric, and of a family of metrics, on a GPU."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    import torch
    from numpy.typing import NDArray
    from torch import Tensor

    from convergebench.metrics._reader import PixelPair

_log = logging.getLogger("convergebench")


class GpuMetric(Protocol):
    """Computes a number from the features of a source and a result, for many pictures of one size at once."""

    def unfit(self, height: int, width: int) -> str | None:
        """The reason why pictures of this size have no value, or None if they have one."""

    def features(self, pictures: Tensor) -> tuple[Tensor, ...]:
        """The features of each picture alone. Pictures are N × height × width × 3, whole numbers up to
        255."""

    def values(self, sources: tuple[Tensor, ...], results: tuple[Tensor, ...]) -> Tensor:
        """Compare the i-th result with the i-th source."""


@runtime_checkable
class GpuFamily(Protocol):
    """Reduces many pairs of one size to a few numbers each on the device, and reads its members from these
    on the processor."""

    def unfit(self, height: int, width: int) -> str | None:
        """See `GpuMetric.unfit`."""

    def features(self, pictures: Tensor) -> tuple[Tensor, ...]:
        """The features of each source alone. See `GpuMetric.features`."""

    def summaries(self, sources: tuple[Tensor, ...], results: Tensor) -> Sequence[Tensor]:
        """What the readings need of each pair; the results are pictures."""

    def readings(self, summaries: Sequence[NDArray[Any]], pair: PixelPair) -> Mapping[str, float | str]:
        """Every member of one pair, from its part of each summary."""


def on_device(values: NDArray[Any], device: torch.device) -> Tensor:
    """A constant, copied there once: each copy waits until the device has done all before it."""
    return _copied(values.tobytes(), values.dtype.str, values.shape, device)


@lru_cache(maxsize=256)
def _copied(data: bytes, kind: str, shape: tuple[int, ...], device: torch.device) -> Tensor:
    import numpy as np
    import torch

    return torch.from_numpy(np.frombuffer(data, kind).reshape(shape).copy()).to(device)


def sent(values: Sequence[Any] | NDArray[Any], device: torch.device) -> Tensor:
    """Some numbers that belong to one batch. Unlike a plain copy, this does not wait for the device."""
    import torch

    return torch.tensor(values).to(device, non_blocking=True)


def has_kernels(tensor: Tensor) -> bool:
    """Whether it lies where the kernels of this package run."""
    return tensor.is_cuda and _launches_kernels(tensor.device)


@cache
def _launches_kernels(device: torch.device) -> bool:
    """Triton is installed with torch for CUDA on Linux only. For its first launch it needs a C compiler,
    Python's headers and a folder to write to, which a container may lack."""
    try:
        from convergebench.metrics._gpu.probe_kernel import launched

        launched(device)
    except ImportError:
        return False
    except Exception as error:
        _log.warning("Triton cannot start kernels here, so that measuring takes longer: %s", error)
        return False
    return True
