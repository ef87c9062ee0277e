"""Pictures resized and averaged down, against torch's matrices."""

from __future__ import annotations

import pytest
import torch

from convergebench.metrics._gpu import resampling_kernel
from convergebench.metrics._gpu.resampling import Filter, Scaling, averaged, averaged_luma, resized


@pytest.fixture(autouse=True)
def blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several for a picture."""
    monkeypatch.setattr(resampling_kernel, "BLOCK", 128)


def assert_nearly_same_levels(found: torch.Tensor, expected: torch.Tensor) -> None:
    """Sums in another order, as on another processor, fall on the other side of a half now and then."""
    assert found.shape == expected.shape
    assert found.dtype == expected.dtype
    apart = (found.double() - expected.double()).abs()
    assert apart.max() <= 1
    assert (apart > 0).sum() <= max(2, 0.01 * apart.numel())


@pytest.mark.parametrize("kind", ["bilinear", "bicubic"])
@pytest.mark.parametrize(
    ("size", "to"), [((1, 1, 1), (1, 1)), ((1, 1, 1), (3, 2)), ((2, 19, 33), (7, 8)), ((3, 9, 7), (13, 7))]
)
def test_resized_pictures(kind: Filter, size, to, pictures, by_kernels) -> None:
    scalings = (Scaling(size[1], to[0], kind), Scaling(size[2], to[1], kind))
    source = pictures(*size)
    found, expected = by_kernels(lambda: resized(source, *scalings)), resized(source, *scalings)
    assert found.is_contiguous()
    assert_nearly_same_levels(found, expected)


def test_the_centre_of_resized_pictures(pictures, by_kernels) -> None:
    scalings = Scaling(40, 12, "bicubic", 1, 10), Scaling(29, 9, "bicubic", 2, 5)
    source = pictures(2, 40, 29)
    found = by_kernels(lambda: resized(source, *scalings))
    assert found.shape == (2, 3, 10, 5)
    assert_nearly_same_levels(found, resized(source, *scalings))


def test_levels_stay_in_their_range(by_kernels) -> None:
    """Cubics swing beyond black and white where these meet."""
    source = torch.zeros((1, 20, 30, 3), dtype=torch.uint8)
    source[:, ::5, ::3] = 255
    scalings = Scaling(20, 31, "bicubic"), Scaling(30, 47, "bicubic")
    assert_nearly_same_levels(by_kernels(lambda: resized(source, *scalings)), resized(source, *scalings))


@pytest.mark.parametrize(
    ("size", "to"),
    [((2, 3, 2), (1, 1)), ((2, 18, 30), (9, 15)), ((1, 32, 48), (8, 12)), ((1, 7, 40), (7, 10))],
)
def test_averages_by_whole_factors_are_the_same(size, to, pictures, by_kernels) -> None:
    source = pictures(*size)
    for given in (source, source.int(), source.float() / 8, source[..., :1]):
        found, expected = by_kernels(lambda given=given: averaged(given, *to)), averaged(given, *to)
        assert found.dtype == expected.dtype
        assert torch.allclose(found.double(), expected.double(), rtol=1e-6, atol=0)


@pytest.mark.parametrize(
    ("size", "to"), [((2, 19, 33), (7, 8)), ((1, 40, 23), (9, 23)), ((1, 50, 37), (1, 3))]
)
def test_averages_by_other_factors(size, to, pictures, by_kernels) -> None:
    source = pictures(*size)
    assert_nearly_same_levels(by_kernels(lambda: averaged(source, *to)), averaged(source, *to))
    maps = source[..., :1].float() / 255
    found = by_kernels(lambda: averaged(maps, *to))
    assert torch.allclose(found, averaged(maps, *to), rtol=0, atol=1e-6)


@pytest.mark.parametrize("to", [(9, 15), (18, 30), (7, 11)])
def test_averages_of_luma(to, pictures, by_kernels) -> None:
    source = pictures(2, 18, 30)
    found, expected = by_kernels(lambda: averaged_luma(source, *to)), averaged_luma(source, *to)
    assert_nearly_same_levels(found.int(), expected)


def test_parts_of_pictures(pictures, by_kernels) -> None:
    """They do not lie in one piece of memory."""
    source = pictures(1, 33, 40)[:, 3:29, ::2]
    assert not source.is_contiguous()
    scalings = Scaling(26, 8, "bilinear"), Scaling(20, 9, "bilinear")
    assert_nearly_same_levels(by_kernels(lambda: resized(source, *scalings)), resized(source, *scalings))
    assert_nearly_same_levels(by_kernels(lambda: averaged(source, 13, 10)), averaged(source, 13, 10))


def test_the_last_picture_of_a_large_batch(pictures, by_kernels, far_back) -> None:
    source, scalings = pictures(1, 8, 12), (Scaling(8, 4, "bilinear"), Scaling(12, 5, "bilinear"))
    with far_back(0):
        small, means = by_kernels(lambda: (resized(source, *scalings), averaged(source, 4, 6)))
    assert_nearly_same_levels(small, resized(source, *scalings))
    assert torch.equal(means, averaged(source, 4, 6))
