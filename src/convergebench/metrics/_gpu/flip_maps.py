"""ꟻLIP's maps of single pictures on a GPU.

The filters are hundreds of small calls. For each size they are recorded once as a CUDA graph, which is one
call, so that threads that measure other pictures meanwhile are not held up.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from convergebench.metrics._device import uses_cuda
from convergebench.metrics._gpu.flip import flip_features, maps_against
from convergebench.metrics._gpu.recorded import recorded
from convergebench.metrics.base import MetricOptions
from convergebench.metrics.flip import FlipAgainst, flip_against
from convergebench.types import Pixels

if TYPE_CHECKING:
    import torch
    from numpy.typing import NDArray
    from torch import Tensor

SMALLEST_SIDE = 512
"""Smaller pictures take less time on the processor than the copy to the device."""
LANES = 3
"""Maps of one size that are made side by side: while one is copied, another is computed."""


def flip_with(options: MetricOptions) -> FlipAgainst:
    """Makes maps of large pictures on the GPU, if there is one, and others on the processor.

    That is decided for the first large picture, because importing torch takes seconds.
    """
    maps = FlipMaps("cuda")

    def prepare(reference: Pixels, pixels_per_degree: float) -> Callable[[Pixels], NDArray[np.float32]]:
        if max(reference.shape[:2]) >= SMALLEST_SIDE and uses_cuda(options):
            return maps.against(reference, pixels_per_degree)
        return flip_against(reference, pixels_per_degree)

    return prepare


class FlipMaps:
    """Maps on a torch device; safe to share between threads."""

    def __init__(self, device: str) -> None:
        self._device = device
        self._lanes: dict[tuple[int, int, float], queue.SimpleQueue[_Lane]] = {}
        self._adding = threading.Lock()

    def against(self, reference: Pixels, pixels_per_degree: float) -> Callable[[Pixels], NDArray[np.float32]]:
        """Prepare a reference; what this returns makes the map of each result of its size."""
        import torch

        height, width, _ = reference.shape
        with torch.inference_mode():
            pictures = torch.from_numpy(np.ascontiguousarray(reference))[None].to(self._device)
            features = flip_features(pictures, pixels_per_degree)
        lanes = self._lanes_for(height, width, pixels_per_degree)

        def made(result: Pixels) -> NDArray[np.float32]:
            lane = lanes.get()
            try:
                return lane.map(features, result)
            finally:
                lanes.put(lane)

        return made

    def _lanes_for(self, height: int, width: int, pixels_per_degree: float) -> queue.SimpleQueue[_Lane]:
        key = (height, width, pixels_per_degree)
        with self._adding:
            if key not in self._lanes:
                self._lanes[key] = queue.SimpleQueue()
                for _ in range(LANES):
                    self._lanes[key].put(_Lane(*key, self._device))
            return self._lanes[key]


class _Lane:
    """Room for one map at a time, and the recorded calls that make it."""

    def __init__(self, height: int, width: int, pixels_per_degree: float, device: str) -> None:
        import torch

        self._pixels_per_degree = pixels_per_degree
        on_gpu = device != "cpu"
        with torch.inference_mode():
            self._picture = torch.empty((1, height, width, 3), dtype=torch.uint8, device=device)
            self._features = torch.zeros((1, 5, height, width), device=device)
            self._given = torch.empty((height, width, 3), dtype=torch.uint8, pin_memory=on_gpu)
            self._taken = torch.empty((height, width), pin_memory=on_gpu)
            self._stream = torch.cuda.Stream() if on_gpu else None  # type: ignore[no-untyped-call]
            self._graph = self._recorded() if on_gpu else None

    def map(self, features: Tensor, result: Pixels) -> NDArray[np.float32]:
        import torch

        np.copyto(self._given.numpy(), result)
        with torch.inference_mode():
            if self._graph is None or self._stream is None:
                self._picture[0] = self._given
                self._features.copy_(features)
                return np.array(self._made()[0].numpy())
            self._stream.wait_stream(torch.cuda.default_stream())
            with torch.cuda.stream(self._stream):
                self._picture[0].copy_(self._given, non_blocking=True)
                self._features.copy_(features)
                self._graph.replay()
                self._taken.copy_(self._map[0], non_blocking=True)
            self._stream.synchronize()
        return np.array(self._taken.numpy())

    def _made(self) -> Tensor:
        return maps_against(self._features, self._picture, self._pixels_per_degree)

    def _recorded(self) -> torch.cuda.CUDAGraph:

        self._picture.zero_()
        self._made()  # what is loaded at the first call cannot be recorded
        graph, self._map = recorded(self._made)
        return graph
