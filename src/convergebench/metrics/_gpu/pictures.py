"""Pictures on their way to the device."""

from __future__ import annotations

import contextlib
import math
import mmap
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

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
    working, copying = torch.cuda.current_stream(), _copying_stream()
    with torch.cuda.stream(copying):
        there = torch.empty((len(pictures), *shape), dtype=torch.uint8, device=device)
    pinned = _pinned_pictures(pictures)
    if pinned is not None:
        with torch.cuda.stream(copying):
            for room, picture in zip(there, pinned, strict=True):
                room.copy_(picture, non_blocking=True)
    else:
        step = max(1, STAGED_BYTES // math.prod(shape))
        parts = (pictures[start : start + step] for start in range(0, len(pictures), step))
        list(_copying_threads().map(_copy_staged, parts, torch.split(there, step)))
    working.wait_stream(copying)
    there.record_stream(working)
    return there


def fetched(tensor: Tensor) -> NDArray[Any]:
    """The same values on the processor. Through pinned memory, many times as fast as without."""
    import torch

    if tensor.device.type == "cpu":
        return tensor.numpy()
    staged = torch.empty(tensor.shape, dtype=tensor.dtype, pin_memory=True)
    staged.copy_(tensor, non_blocking=True)
    torch.cuda.current_stream().synchronize()
    return np.array(staged.numpy())  # pinned memory is scarce


class PinnedMemory(NamedTuple):
    """Memory that the device reads itself, so that the processor does not copy the pictures in it."""

    bytes: Tensor
    address: int

    def holds(self, pixels: Pixels | NDArray[np.bool_]) -> bool:
        offset = pixels.ctypes.data - self.address
        return pixels.flags.c_contiguous and 0 <= offset <= len(self.bytes) - pixels.nbytes

    def picture(self, pixels: Pixels | NDArray[np.bool_]) -> Tensor:
        offset = pixels.ctypes.data - self.address
        return self.bytes[offset : offset + pixels.nbytes].view(pixels.shape)


_pinned: list[PinnedMemory] = []
"""For the life of this process."""


def pin(memory: mmap.mmap) -> bool:
    """Whether it could be done; some systems do not allow to pin so much."""
    import torch

    everything = torch.frombuffer(memory, dtype=torch.uint8)
    if int(torch.cuda.cudart().cudaHostRegister(everything.data_ptr(), len(memory), 0)) == 0:  # type: ignore[no-untyped-call]
        _pinned.append(PinnedMemory(everything, everything.data_ptr()))
        return True
    with contextlib.suppress(RuntimeError):
        torch.zeros(1, device="cuda")  # CUDA reports the failure once more, to whoever comes next
    return False


def _pinned_pictures(pictures: Sequence[Pixels | NDArray[np.bool_]]) -> list[Tensor] | None:
    """The pictures where they are; None unless all of them can be read there."""
    for memory in _pinned:
        if all(memory.holds(pixels) for pixels in pictures):
            return [memory.picture(pixels) for pixels in pictures]
    return None


def _copy_staged(pictures: Sequence[Pixels | NDArray[np.bool_]], to: Tensor) -> None:
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
