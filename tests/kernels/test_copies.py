"""Many copies in one call."""

from __future__ import annotations

import numpy as np
import pytest

from convergebench import kernels


@pytest.mark.parametrize("is_compiled", [True, False])
def test_every_array_is_copied_to_its_place(is_compiled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not is_compiled:
        monkeypatch.setattr(kernels, "compiled", lambda: False)
    random = np.random.default_rng(1)
    arrays = [random.integers(0, 256, size, np.uint8) for size in (1, 4096, 0, 100_000)]
    room = np.zeros(200_000, np.uint8)
    ends = np.cumsum([len(array) for array in arrays])
    places = [room[end - len(array) : end] for array, end in zip(arrays, ends, strict=True)]
    kernels.copy_all(arrays, places)
    np.testing.assert_array_equal(room[: ends[-1]], np.concatenate(arrays))
    assert not room[ends[-1] :].any()


def test_many_bytes_are_copied_by_several_threads_wherever_they_begin() -> None:
    random = np.random.default_rng(2)
    arrays = [random.integers(0, 256, 12 * 2**20 + size, np.uint8) for size in (0, 1, 63, 65, 4095)]
    rooms = [np.zeros(len(array) + 200, np.uint8) for array in arrays]
    kernels.copy_all(
        [array[start:] for start, array in enumerate(arrays)],
        [room[7 * start : 7 * start + len(arrays[start]) - start] for start, room in enumerate(rooms)],
    )
    for start, (array, room) in enumerate(zip(arrays, rooms, strict=True)):
        end = 7 * start + len(array) - start
        np.testing.assert_array_equal(room[7 * start : end], array[start:])
        assert not room[: 7 * start].any() and not room[end:].any()


def test_long_parts_are_joined_as_by_python() -> None:
    parts = [b"begin", bytes(range(256)) * 1000, memoryview(b"end")]
    assert kernels.joined(parts) == b"".join(parts)
