"""LPIPS features on a GPU, with torch."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from convergebench.metrics._lpips_network import (
    EPSILON,
    LAYERS,
    SCALE,
    SHIFT,
    Backbone,
    Convolution,
    Pooling,
    Tap,
    read_weights,
)
from convergebench.types import Pixels

if TYPE_CHECKING:
    import torch


_SWITCH = threading.Lock()


@contextmanager
def exact_convolutions() -> Iterator[None]:
    """TF32 would change the fifth digit. The switch is global in torch, hence the lock, under which only what
    needs it is called: other threads wait meanwhile."""
    import torch

    with _SWITCH, torch.backends.cudnn.flags(enabled=True, allow_tf32=False):
        yield


class Extents(NamedTuple):
    """Heights and widths of pictures that lie in planes of one size. What is beyond must stay zero, as around
    a picture that fills its plane, or it would count."""

    heights: torch.Tensor
    widths: torch.Tensor

    def on(self, device: torch.device) -> Extents:
        return Extents(*(size.to(device, non_blocking=True) for size in self))

    def after(self, reach: int, stride: int) -> Extents:
        """Behind a layer whose windows have this side, its padding taken off."""
        return Extents(*((size - reach) // stride + 1 for size in self))

    def cut(self, values: torch.Tensor) -> torch.Tensor:
        return values * self.mask(*values.shape[2:])[:, None]

    def mask(self, height: int, width: int) -> torch.Tensor:
        """N × height × width, whether a place lies in the picture."""
        import torch

        rows, columns = (torch.arange(size, device=self.heights.device) for size in (height, width))
        return (rows < self.heights[:, None])[:, :, None] & (columns < self.widths[:, None])[:, None, :]


class TorchFeatures:
    """The features of pictures of one size, by tap; they stay on the device."""

    def __init__(self, backbone: Backbone, device: str) -> None:
        import torch

        weights = read_weights(backbone)
        self._layers = LAYERS[backbone]
        self.device = device
        self._kernels, self._biases, self._gains = (
            [torch.from_numpy(array).to(device) for array in arrays]
            for arrays in (weights.kernels, weights.biases, weights.gains)
        )
        self._shift, self._scale = (
            torch.tensor(each, device=device).view(1, 3, 1, 1) for each in (SHIFT, SCALE)
        )

    def of(self, pictures: Sequence[Pixels]) -> list[tuple[torch.Tensor, ...]]:
        import torch

        batch = torch.from_numpy(np.stack(pictures)).to(self.device).permute(0, 3, 1, 2)
        return list(zip(*self.taps(batch.float()), strict=True))

    def taps(self, levels: torch.Tensor, extents: Extents | None = None) -> tuple[torch.Tensor, ...]:
        """Features of N × 3 × height × width levels from 0 to 255; with extents, of pictures of these sizes,
        each in the upper left corner."""
        import torch

        with torch.inference_mode():
            value = (levels * (2 / 255) - 1 - self._shift) / self._scale
            with exact_convolutions():
                values = self._values(value, extents)
            return tuple(
                value / (value.norm(dim=1, keepdim=True) + EPSILON) * gain.view(1, -1, 1, 1)
                for value, gain in zip(values, self._gains, strict=True)
            )

    def extents_at_taps(self, extents: Extents) -> list[Extents]:
        """What pictures of these extents cover of each tap."""
        found = []
        kernels = iter(self._kernels)
        for layer in self._layers:
            if isinstance(layer, Tap):
                found.append(extents)
            elif isinstance(layer, Convolution):
                extents = extents.after(next(kernels).shape[-1] - 2 * layer.padding, layer.stride)
            else:
                extents = extents.after(layer.side, layer.stride)
        return found

    def distances(
        self, features: Sequence[Sequence[torch.Tensor]], pictures: Sequence[Pixels]
    ) -> list[float]:
        """The sum over the taps of the mean squared difference, which is LPIPS."""
        pairs = zip(features, self.of(pictures), strict=True)
        return [
            float(sum((a - b).square().mean() for a, b in zip(one, other, strict=True)))
            for one, other in pairs
        ]

    def _values(self, value: torch.Tensor, extents: Extents | None) -> list[torch.Tensor]:
        """At the taps, before each is scaled to unit length."""
        from torch.nn import functional

        values = []
        value = value if extents is None else extents.cut(value)
        convolutions = iter(zip(self._kernels, self._biases, strict=True))
        for layer in self._layers:
            if isinstance(layer, Convolution):
                kernel, bias = next(convolutions)
                value = functional.conv2d(value, kernel, bias, layer.stride, layer.padding).relu()
                reach = kernel.shape[-1] - 2 * layer.padding
            elif isinstance(layer, Pooling):
                value = functional.max_pool2d(value, layer.side, layer.stride)
                reach = layer.side
            else:
                values.append(value)
                continue
            if extents is not None:
                extents = extents.after(reach, layer.stride)
                value = extents.cut(value)
        return values
