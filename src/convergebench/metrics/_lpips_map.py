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
        on_gpu = uses_cuda(options)
        of_reference = network.of([reference])[0]

        def compared(result: Pixels) -> DistanceMaps:
            of_result = network.of([result])[0]
            pairs = zip(of_reference, of_result, strict=True)
            if on_gpu:
                return tuple((one - other).square().mean(0).cpu().numpy() for one, other in pairs)
            return tuple(np.square(one - other).mean(0) for one, other in pairs)

        return compared

    return against
