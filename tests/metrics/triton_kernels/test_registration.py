"""Registration, against torch's and the processor's."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
import torch

from convergebench.metrics._gpu import registration_kernel
from convergebench.metrics._gpu.registration import _equations, registered
from convergebench.metrics._gpu.registration_planes import pyramids, registration_planes
from convergebench.metrics.drift._registration import SETTLED, RegistrationFit, pyramid, register
from convergebench.types import Pixels
from drawn_chains import moved, noised, room

SIZE = (33, 41)


@pytest.fixture(autouse=True)
def blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two for the larger of the planes."""
    monkeypatch.setattr(registration_kernel, "BLOCK", 1024)


def both_fits(
    sources: Sequence[Pixels], results: Sequence[Pixels], by_kernels
) -> tuple[list[RegistrationFit], list[RegistrationFit]]:
    """By kernels and by torch, from the same planes."""
    of_sources, of_results = (
        registration_planes(torch.from_numpy(np.stack(each))) for each in (sources, results)
    )
    levels = pyramids(of_sources)
    return by_kernels(lambda: registered(levels, of_results)), registered(levels, of_results)


def pixels_apart(one: RegistrationFit, other: RegistrationFit) -> float:
    """How far, at most, what they say of shift, zoom and turn is apart.

    Either ends when a step is shorter than `SETTLED`. Which step that is can depend on the last digit of a
    sum, and so on the processor: a place is taken to 1/32 of a pixel.
    """
    return float(np.abs(one.matrix - other.matrix).max() * max(SIZE))


def striped() -> Pixels:
    """Nothing in it says how far it moved down."""
    return (np.indices((*SIZE, 3))[1] // 4 % 2 * 200).astype(np.uint8)


def test_fits_are_those_of_torch_and_of_the_processor(by_kernels) -> None:
    sources = [room(*SIZE, seed=1), room(*SIZE, seed=2), np.full((*SIZE, 3), 90, np.uint8), striped()]
    results = [moved(sources[0], 3, 2), moved(sources[1], -2, 1, 1.05), sources[0], striped()]
    found, expected = both_fits(sources, results, by_kernels)
    for source, result, ours, theirs in zip(sources, results, found, expected, strict=True):
        assert ours.distrust() == theirs.distrust() == register(pyramid(source), result).distrust()
        assert pixels_apart(ours, theirs) <= SETTLED
        assert ours.likeness == pytest.approx(theirs.likeness, abs=1e-4)
        assert ours.error == pytest.approx(theirs.error, rel=1e-2)


def test_sums_over_every_block(by_kernels, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registration_kernel, "BLOCK", 128)
    source = room(*SIZE, seed=4)
    (level,) = pyramids(registration_planes(torch.from_numpy(source[None])))
    (plane,) = registration_planes(torch.from_numpy(noised(source, 9)[None]))
    found = torch.tensor([[1.01, 0.02, 0.03, -0.01]], dtype=torch.float64)
    for where in (found, 1e7 * found, found * torch.nan):
        ours = by_kernels(lambda where=where: _equations(level, plane, where))
        theirs = _equations(level, plane, where)
        for one, other in zip(ours, theirs, strict=True):
            assert torch.allclose(one, other, rtol=1e-5, atol=1e-4)


def test_the_last_picture_of_a_large_batch(by_kernels, far_back) -> None:
    source = room(*SIZE, seed=1)
    with far_back(0):
        (found,), (expected,) = both_fits([source], [moved(source, 3, 2)], by_kernels)
    assert pixels_apart(found, expected) <= SETTLED
