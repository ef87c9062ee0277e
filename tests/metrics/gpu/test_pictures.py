"""Pictures in memory that a device reads itself; without a device."""

from __future__ import annotations

import mmap

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from convergebench.metrics._gpu.pictures import PinnedMemory, brought, fetched
from convergebench.types import Pixels
from made_pictures import textured

SIZE = 64 * 48 * 3


def memory_with(pictures: list[Pixels]) -> tuple[mmap.mmap, PinnedMemory]:
    memory = mmap.mmap(-1, len(pictures) * SIZE)
    for place, pixels in enumerate(pictures):
        memory[place * SIZE : (place + 1) * SIZE] = pixels.tobytes()
    everything = torch.frombuffer(memory, dtype=torch.uint8)
    return memory, PinnedMemory(everything, everything.data_ptr())


def test_a_picture_in_the_memory_is_found_there() -> None:
    pictures = [textured(width=64, height=48, seed=seed) for seed in range(3)]
    memory, pinned = memory_with(pictures)
    for place, pixels in enumerate(pictures):
        there = np.frombuffer(memory, np.uint8, SIZE, place * SIZE).reshape(48, 64, 3)
        assert pinned.holds(there)
        assert np.array_equal(pinned.picture(there).numpy(), pixels)


def test_other_pictures_and_parts_of_pictures_are_not() -> None:
    pixels = textured(width=64, height=48, seed=1)
    memory, pinned = memory_with([pixels, pixels])
    there = np.frombuffer(memory, np.uint8, SIZE).reshape(48, 64, 3)
    assert not pinned.holds(pixels)
    assert not pinned.holds(there[:, :32])


def test_a_picture_that_ends_behind_the_memory_is_not() -> None:
    memory, whole = memory_with([textured(width=64, height=48, seed=1)])
    shorter = PinnedMemory(whole.bytes[:-1], whole.address)
    assert not shorter.holds(np.frombuffer(memory, np.uint8, SIZE).reshape(48, 64, 3))


def test_what_is_brought_and_fetched_again_is_the_same() -> None:
    pictures = [textured(width=64, height=48, seed=seed) for seed in range(3)]
    assert np.array_equal(fetched(brought(pictures, "cpu")), np.stack(pictures))
