"""Addresses of arrays, against NumPy's."""

from __future__ import annotations

import numpy as np
import pytest

from convergebench.kernels.addresses import address

WHOLE = np.arange(60, dtype=np.float32).reshape(5, 4, 3)
READ_ONLY = np.frombuffer(bytes(24), np.uint8)


@pytest.mark.parametrize("array", [WHOLE, WHOLE[1:, 1:], WHOLE[..., ::2], WHOLE[:0], READ_ONLY, WHOLE > 3])
def test_an_address_is_numpys_for_arrays_of_every_kind(array: np.ndarray) -> None:
    assert address(array) == array.ctypes.data
