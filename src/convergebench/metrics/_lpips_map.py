"""Where two pictures differ by LPIPS: its distance at every place, before the mean over the picture."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from convergebench.metrics._device import uses_cuda
from convergebench.metrics.base import MetricOptions
from convergebench.types import Pixels

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from torch import Tensor

    from convergebench.metrics._lpips_torch import TorchFeatures

DistanceMaps: TypeAlias = "tuple[NDArray[np.float32], ...]"
"""One map for each tap, from fine to coarse. The means of all maps add up to LPIPS."""
LpipsAgainst: TypeAlias = Callable[[Pixels], Callable[[Pixels], DistanceMaps]]
"""Prepares a reference; what this returns compares results of the same size with it."""


def lpips_with(options: MetricOptions) -> LpipsAgainst:
    """LPIPS on AlexNet, where the other metrics measure. The network is loaded at the first picture; raises
    MetricUnavailable then if its weights are missing."""
    loading = threading.Lock()

    @cache
    def features() -> Any:
        from convergebench.metrics.lpips import features_of

        return features_of("alex", options)

    def against(reference: Pixels) -> Callable[[Pixels], DistanceMaps]:
        with loading:
            network = features()
        if uses_cuda(options):
            return _on_gpu(network, reference)
        of_reference = network.of([reference])[0]

        def compared(result: Pixels) -> DistanceMaps:
            maps: DistanceMaps = network.maps(of_reference, result)
            return maps

        return compared

    return against


def _on_gpu(network: TorchFeatures, reference: Pixels) -> Callable[[Pixels], DistanceMaps]:
    """The reference goes with its first result, since for a GPU two pictures take as long as one."""
    import torch

    known: list[tuple[Tensor, ...]] = []

    def compared(result: Pixels) -> DistanceMaps:
        if known:
            of_reference, (of_result,) = known[0], network.of([result])
        else:
            of_reference, of_result = network.of([reference, result])
            known.append(of_reference)
        with torch.inference_mode():
            maps = [
                (one - other).square().mean(0) for one, other in zip(of_reference, of_result, strict=True)
            ]
            copied = (
                torch.cat([one.flatten() for one in maps]).cpu().numpy()
            )  # each copy waits for the device
        parts = np.split(copied, np.cumsum([one.numel() for one in maps])[:-1])
        return tuple(part.reshape(one.shape) for part, one in zip(parts, maps, strict=True))

    return compared
