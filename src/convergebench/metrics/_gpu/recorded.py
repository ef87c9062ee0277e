"""A network recorded as a CUDA graph.

A network consists of hundreds of small calls. Each competes with Python's other threads, such as those that
encode pictures, and the libraries plan again for each batch length. A recorded network is one call of a fixed
length.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import torch
    from torch import Tensor

BATCH = 32
_RECORDING = threading.Lock()
"""Recording waits for the whole device first, which fails while another thread records."""

Made = TypeVar("Made")


def recorded(calls: Callable[[], Made]) -> tuple[torch.cuda.CUDAGraph, Made]:
    """The calls as a graph, and what each replay makes again. They must have been made once before."""
    import torch

    with _RECORDING:
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, capture_error_mode="thread_local"):
            made = calls()
    return graph, made


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
            self._graph, self._made = recorded(lambda: function(self._given))

    def __call__(self, batch: Tensor) -> tuple[Tensor, ...]:
        import torch

        parts = [self._replayed(part) for part in torch.split(batch, BATCH)]
        return tuple(torch.cat(of_parts) for of_parts in zip(*parts, strict=True))

    def _replayed(self, part: Tensor) -> tuple[Tensor, ...]:
        with self._replaying:
            self._given[: len(part)].copy_(part)
            self._graph.replay()
            return tuple(made[: len(part)].clone() for made in self._made)
