"""A network recorded as a CUDA graph.

It is hundreds of small calls, each of which waits its turn among Python's other threads, such as those that
encode pictures, and its libraries plan anew for each length of batch. Recorded, it is one call of one length.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor

BATCH = 32


class Recorded:
    """A function of batches, recorded for one length; others are cut into such, and the last filled up."""

    def __init__(self, function: Callable[[Tensor], tuple[Tensor, ...]], shape: tuple[int, ...]) -> None:
        import torch

        self._function = function  # a graph does not keep the weights that it reads
        self._replaying = threading.Lock()
        with torch.inference_mode():
            self._given = torch.zeros((BATCH, *shape), device="cuda")
            # Libraries choose their kernels in the first calls, which cannot be recorded.
            for _ in range(2):
                function(self._given)
            torch.cuda.synchronize()
            self._graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self._graph, capture_error_mode="thread_local"):
                self._made = function(self._given)

    def __call__(self, batch: Tensor) -> tuple[Tensor, ...]:
        import torch

        parts = [self._replayed(part) for part in torch.split(batch, BATCH)]
        return tuple(torch.cat(of_parts) for of_parts in zip(*parts, strict=True))

    def _replayed(self, part: Tensor) -> tuple[Tensor, ...]:
        with self._replaying:
            self._given[: len(part)].copy_(part)
            self._graph.replay()
            return tuple(made[: len(part)].clone() for made in self._made)
