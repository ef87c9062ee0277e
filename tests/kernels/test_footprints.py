"""What measures by region need of footprints in C, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from convergebench import kernels
from convergebench.metrics.regions.measures import edit_trace, trace_of

if not kernels.available():
    pytest.skip("needs a compiler", allow_module_level=True)

from convergebench.kernels import footprints

sides, seeds = st.integers(1, 70), st.integers(0, 2**32 - 1)


@settings(max_examples=40, deadline=None)
@given(height=sides, width=sides, factor=st.integers(1, 5), seed=seeds)
def test_a_mask_is_enlarged_by_repeating_its_places(height: int, width: int, factor: int, seed: int) -> None:
    mask = np.random.default_rng(seed).random((height, width)) < 0.5
    expected = np.repeat(np.repeat(mask, factor, axis=0), factor, axis=1)
    assert np.array_equal(footprints.enlarged(mask, factor), expected)


@settings(max_examples=80, deadline=None)
@given(
    height=sides,
    width=sides,
    seed=seeds,
    core=st.sampled_from([0, 0.1, 1]),
    rest=st.sampled_from([0, 0.5, 1]),
)
def test_a_trace_is_that_of_numpy_to_the_bit(
    height: int, width: int, seed: int, core: float, rest: float
) -> None:
    random = np.random.default_rng(seed)
    pictures = random.integers(0, 256, (4, height, width, 3)).astype(np.uint8)
    of_core, of_rest = (random.random((height, width)) < share for share in (core, rest))
    remains, change = (np.subtract(*pair, dtype=np.int16) for pair in (pictures[:2], pictures[2:]))
    found = trace_of(*footprints.trace_products(*pictures, of_core, ~of_rest))
    assert found == edit_trace(remains, change, of_core, of_rest)
