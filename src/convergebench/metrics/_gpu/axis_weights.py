"""Resampling of another part of every picture, along one axis as weights of matrices.

OpenCV's methods: averages over areas, and lines and cubics between pixels. For pictures of whole levels it
rounds the weights of cubics to 1/2048.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from convergebench.metrics._gpu.base import has_kernels

if TYPE_CHECKING:
    import torch
    from torch import Tensor

AREA, STRETCHED, CUBIC, LINEAR = range(4)
"""Methods."""
_FIXED = 2048
_SHARPNESS = -0.75
"""Keys' parameter, as OpenCV has it."""


class Spans(NamedTuple):
    """For each picture, the part of an axis that is resampled, and the length that it becomes."""

    first: Tensor
    length: Tensor
    to: Tensor

    @property
    def scale(self) -> Tensor:
        """Pixels for one pixel of the result."""
        return self.length.double() / self.to

    def on(self, device: torch.device) -> Spans:
        return Spans(*(part.to(device, non_blocking=True) for part in self))


def resampled_parts(planes: Tensor, down: Spans, along: Spans, methods: Tensor, out: int) -> Tensor:
    """N × channels × out × out: of each picture its part, by its method, in the upper left corner.

    Planes are N × channels × height × width; spans and methods are on the processor.
    """
    if has_kernels(planes):
        from convergebench.metrics._gpu.axis_weights_kernel import resampled

        return resampled(planes, down, along, methods, out)
    rows, columns = (
        _weights_of(spans.on(planes.device), methods.to(planes.device), size, out)
        for spans, size in zip((down, along), planes.shape[2:], strict=True)
    )
    return rows[:, None] @ (planes.float() @ columns[:, None].transpose(2, 3))


def _weights_of(spans: Spans, methods: Tensor, size: int, out: int) -> Tensor:
    """N × out × size."""
    import torch

    found = torch.zeros((len(methods), out, size), device=methods.device)
    for method, weights_of in (
        (AREA, area_weights_of),
        (STRETCHED, stretched_area_weights_of),
        (CUBIC, cubic_weights_of),
        (LINEAR, linear_weights_of),
    ):
        chosen = methods == method
        if chosen.any():
            found = torch.where(chosen[:, None, None], weights_of(spans, size, out), found)
    return found


def area_weights_of(spans: Spans, size: int, out: int) -> Tensor:
    """N × out × size: the mean over what each output covers, for spans that become shorter."""
    import torch

    places, inputs = _places(spans, out), torch.arange(size, device=spans.first.device)
    start = places.double() * spans.scale[:, None]
    whole = start.floor()
    begin = (start - whole).float()[:, :, None]
    scale = spans.scale.float()[:, None, None]
    offset = (inputs - spans.first[:, None, None] - whole[:, :, None]).float()
    covered = torch.minimum(offset + 1, begin + scale) - torch.maximum(offset, begin)
    return covered.clamp_(0, 1).div_(scale) * _there(spans, out)


def cubic_weights_of(spans: Spans, size: int, out: int) -> Tensor:
    """N × out × size, in whole 1/2048."""
    import torch

    at = (_places(spans, out) + 0.5) * spans.scale[:, None] - 0.5
    whole = at.floor()
    t, a = at - whole, _SHARPNESS
    before = ((a * (t + 1) - 5 * a) * (t + 1) + 8 * a) * (t + 1) - 4 * a
    near = ((a + 2) * t - (a + 3)) * t * t + 1
    far = ((a + 2) * (1 - t) - (a + 3)) * (1 - t) * (1 - t) + 1
    weights = torch.stack([before, near, far, 1 - before - near - far], dim=2)
    taps = whole[:, :, None].long() + torch.arange(-1, 3, device=at.device)
    return _scattered(spans, taps, (weights * _FIXED).round_() / _FIXED, size, out)


def linear_weights_of(spans: Spans, size: int, out: int) -> Tensor:
    """N × out × size."""
    import torch

    at = (_places(spans, out) + 0.5) * spans.scale[:, None] - 0.5
    whole = at.floor()
    t = at - whole
    taps = whole[:, :, None].long() + torch.arange(2, device=at.device)
    return _scattered(spans, taps, torch.stack([1 - t, t], dim=2), size, out)


def stretched_area_weights_of(spans: Spans, size: int, out: int) -> Tensor:
    """N × out × size: what OpenCV does where averages over areas are asked for and an axis becomes longer."""
    import torch

    places, scale = _places(spans, out), spans.scale[:, None]
    whole = (places * scale).floor()
    t = (places + 1) - (whole + 1) / scale
    t = torch.where(t <= 0, 0.0, t - t.floor())
    taps = whole[:, :, None].long() + torch.arange(2, device=places.device)
    return _scattered(spans, taps, torch.stack([1 - t, t], dim=2), size, out)


def _places(spans: Spans, out: int) -> Tensor:
    import torch

    return torch.arange(out, device=spans.first.device).expand(len(spans.first), out)


def _there(spans: Spans, out: int) -> Tensor:
    """1 in the rows that the result has."""
    return (_places(spans, out) < spans.to[:, None]).float()[:, :, None]


def _scattered(spans: Spans, taps: Tensor, weights: Tensor, size: int, out: int) -> Tensor:
    """The weights at their places; beyond the part, its border is repeated."""
    import torch

    last = (spans.length - 1)[:, None, None]
    inputs = torch.minimum(taps.clamp(min=0), last) + spans.first[:, None, None]
    matrices = torch.zeros((len(taps), out, size), device=taps.device)
    return matrices.scatter_add_(2, inputs.clamp(max=size - 1), weights.float()) * _there(spans, out)
