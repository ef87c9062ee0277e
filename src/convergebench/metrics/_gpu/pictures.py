"""Pictures on their way to the device."""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from convergebench.types import Pixels

if TYPE_CHECKING:
    import torch
    from numpy.typing import NDArray
    from torch import Tensor


STAGED_BYTES = 32 * 2**20
"""Of the memory through which pictures reach the device. Such memory takes long to get: small pieces are free
again soon, and few are needed."""
COPYING_THREADS = 4
"""One alone copies more slowly than the device takes pictures."""


def brought(pictures: Sequence[Pixels | NDArray[np.bool_]], device: str) -> Tensor:
    """Pictures or masks of one size along the first axis. The copy overlaps with other threads' work."""
    import torch

    if device == "cpu":
        return torch.from_numpy(np.stack([pixels.view(np.uint8) for pixels in pictures]))
    shape = pictures[0].shape
    step = max(1, STAGED_BYTES // math.prod(shape))
    working, copying = torch.cuda.current_stream(), _copying_stream()
    with torch.cuda.stream(copying):
        there = torch.empty((len(pictures), *shape), dtype=torch.uint8, device=device)
    parts = (pictures[start : start + step] for start in range(0, len(pictures), step))
    list(_copying_threads().map(_copy, parts, torch.split(there, step)))
    working.wait_stream(copying)
    there.record_stream(working)
    return there


def _copy(pictures: Sequence[Pixels | NDArray[np.bool_]], to: Tensor) -> None:
    import torch

    with torch.inference_mode(), torch.cuda.stream(_copying_stream()):
        staged = torch.empty(to.shape, dtype=torch.uint8, pin_memory=True)
        for room, pixels in zip(staged.numpy(), pictures, strict=True):
            np.copyto(room, pixels)
        to.copy_(staged, non_blocking=True)


@cache
def _copying_threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(COPYING_THREADS, thread_name_prefix="copy")


@cache
def _copying_stream() -> torch.cuda.Stream:
    import torch

    return torch.cuda.Stream()  # type: ignore[no-untyped-call]
