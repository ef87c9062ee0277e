"""Parts of pictures resampled, against torch's matrices."""

from __future__ import annotations

import pytest
import torch

from convergebench.metrics._gpu import axis_weights_kernel
from convergebench.metrics._gpu.axis_weights import AREA, CUBIC, LINEAR, STRETCHED, Spans, resampled_parts


@pytest.fixture(autouse=True)
def blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two for a picture."""
    monkeypatch.setattr(axis_weights_kernel, "BLOCK", 128)


def spans(*rows: tuple[int, int, int]) -> Spans:
    return Spans(*torch.tensor(rows).unbind(1))


def of_picture(every: Spans, place: int) -> Spans:
    return Spans(*(part[place : place + 1] for part in every))


DOWN = spans((0, 17, 5), (1, 7, 12), (2, 9, 6), (3, 5, 12))
ALONG = spans((1, 10, 5), (0, 9, 11), (4, 7, 12), (2, 11, 3))
METHODS = torch.tensor([AREA, CUBIC, STRETCHED, LINEAR])


def test_levels(pictures, by_kernels) -> None:
    """Each channel of pictures, whose channels lie side by side in memory."""
    planes = pictures(1, 18, 14).permute(0, 3, 1, 2)
    arguments = planes, of_picture(DOWN, 0), of_picture(ALONG, 0), METHODS[:1], 12
    found = by_kernels(lambda: resampled_parts(*arguments))
    assert torch.allclose(found, resampled_parts(*arguments), rtol=0, atol=2e-4)


def test_maps_by_every_method(pictures, by_kernels) -> None:
    maps = pictures(4, 18, 14)[..., 0].float().div(255).transpose(1, 2).contiguous().transpose(1, 2)[:, None]
    found = by_kernels(lambda: resampled_parts(maps, DOWN, ALONG, METHODS, 12))
    assert torch.allclose(found, resampled_parts(maps, DOWN, ALONG, METHODS, 12), rtol=0, atol=1e-6)


@pytest.mark.parametrize("method", [AREA, CUBIC, STRETCHED, LINEAR])
def test_one_pixel(method: int, by_kernels) -> None:
    one = spans((0, 1, 1))
    planes = torch.full((1, 1, 1, 1), 255, dtype=torch.uint8)
    found = by_kernels(lambda: resampled_parts(planes, one, one, torch.tensor([method]), 2))
    assert found.flatten().tolist() == [255, 0, 0, 0]


def test_the_last_picture_of_a_large_batch(pictures, by_kernels, far_back) -> None:
    planes = pictures(1, 18, 14).permute(0, 3, 1, 2)
    arguments = planes, of_picture(DOWN, 1), of_picture(ALONG, 1), METHODS[1:2], 12
    with far_back(2):
        found = by_kernels(lambda: resampled_parts(*arguments))
    assert torch.allclose(found, resampled_parts(*arguments), rtol=0, atol=2e-4)
