"""A function recorded as a CUDA graph.

A network is hundreds of small calls, each of which waits its turn among Python's other threads, such as those
that encode pictures. Recorded, it is one.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor


class Recorded:
    """A function of batches of any length, recorded for one: they are cut into such, the last is filled up."""

    def __init__(self, function: Callable[[Tensor], Tensor], example: Tensor) -> None:
        import torch

        self._given = example.clone()
        # Libraries choose their kernels in the first calls, which cannot be recorded.
        for _ in range(2):
            function(self._given)
        torch.cuda.synchronize()
        self._graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self._graph, capture_error_mode="thread_local"):
            self._made = function(self._given)
        self._replaying = threading.Lock()

    def __call__(self, batch: Tensor) -> Tensor:
        import torch

        return torch.cat([self._replayed(part) for part in torch.split(batch, len(self._given))])

    def _replayed(self, part: Tensor) -> Tensor:
        with self._replaying:
            self._given[: len(part)].copy_(part)
            self._graph.replay()
            return self._made[: len(part)].clone()
