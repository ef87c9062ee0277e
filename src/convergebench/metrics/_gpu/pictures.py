"""Pictures on their way to the device."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from convergebench.types import Pixels

if TYPE_CHECKING:
    import torch
    from numpy.typing import NDArray
    from torch import Tensor


def brought(pictures: Sequence[Pixels | NDArray[np.bool_]], device: str) -> Tensor:
    """Pictures or masks of one size along the first axis. The copy overlaps with other threads' work."""
    import torch

    on_gpu = device != "cpu"
    staged = torch.empty((len(pictures), *pictures[0].shape), dtype=torch.uint8, pin_memory=on_gpu)
    for room, pixels in zip(staged.numpy(), pictures, strict=True):
        np.copyto(room, pixels)
    if not on_gpu:
        return staged
    working, copying = torch.cuda.current_stream(), _copying_stream()
    with torch.cuda.stream(copying):
        there = staged.to(device, non_blocking=True)
    working.wait_stream(copying)
    there.record_stream(working)
    return there


@cache
def _copying_stream() -> torch.cuda.Stream:
    import torch

    return torch.cuda.Stream()  # type: ignore[no-untyped-call]
