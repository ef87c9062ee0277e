"""A network recorded as a CUDA graph.

A network consists of hundreds of small calls. Each competes with Python's other threads, such as those that
encode pictures, and the libraries plan again for each batch length. A recorded network is one call of a fixed
length.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor

BATCH = 32


class Recorded:
    """A function of batches, recorded for one length. Other batches are split to this length, and the last
    part is padded."""

    def __init__(self, function: Callable[[Tensor], tuple[Tensor, ...]], shape: tuple[int, ...]) -> None:
        import torch

        self._function = function  # a graph holds no reference to the weights that it reads
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
