"""The map without the C loops."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from skimage import data

from convergebench import kernels
from convergebench.metrics.flip import FlipSource, flip_map, flip_source
from convergebench.types import Pixels
from flip_pairs import nvidia_map, pairs, worn

built = pytest.mark.skipif(not kernels.available(), reason="there was no compiler when this was installed")


@pytest.fixture
def without_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "available", lambda: False)


@built
@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(pair=pairs(), ppd=st.floats(24, 200))
def test_without_the_loops_the_map_is_the_same(
    pair: tuple[Pixels, Pixels], ppd: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, result = pair
    fast = flip_map(flip_source(source, ppd), result)
    with monkeypatch.context() as patched:
        patched.setattr(kernels, "available", lambda: False)
        slow = flip_map(flip_source(source, ppd), result)
    assert np.abs(fast - slow).max() <= 5e-4


@built
@pytest.mark.parametrize("wear", ["jpeg 75", "noise", "lighter", "painted", "mirrored"])
def test_without_the_loops_photographs_measure_the_same(wear: str, monkeypatch: pytest.MonkeyPatch) -> None:
    source = data.astronaut()[:200, 100:400]
    result = worn(source)[wear]
    fast = flip_map(flip_source(source), result)
    monkeypatch.setattr(kernels, "available", lambda: False)
    assert np.abs(flip_map(flip_source(source), result) - fast).max() <= 1e-4


@pytest.mark.usefixtures("without_kernels")
@settings(max_examples=40, deadline=None)
@given(pair=pairs(), ppd=st.floats(24, 200))
def test_without_the_loops_the_map_equals_nvidias(pair: tuple[Pixels, Pixels], ppd: float) -> None:
    source, result = pair
    ours = flip_map(flip_source(source, ppd), result)
    assert np.abs(ours - nvidia_map(source, result, ppd)).max() <= 1e-3
    assert (flip_map(flip_source(result, ppd), source) == ours).all()
    assert not flip_map(flip_source(source, ppd), source).any()


def test_a_source_says_what_it_was_prepared_for() -> None:
    prepared = flip_source(data.astronaut()[:20, :30], 30.0)
    assert isinstance(prepared, FlipSource)
    assert prepared.pixels_per_degree == 30
    assert prepared.features.nbytes == 20 * 20 * 30
