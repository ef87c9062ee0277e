"""LPIPS features on a GPU, with torch."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from convergebench.metrics._lpips_network import (
    EPSILON,
    LAYERS,
    SCALE,
    SHIFT,
    Backbone,
    Convolution,
    Pooling,
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

    def taps(self, levels: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """Features of N × 3 × height × width levels from 0 to 255."""
        import torch

        with torch.inference_mode():
            value = (levels * (2 / 255) - 1 - self._shift) / self._scale
            with exact_convolutions():
                values = self._values(value)
            return tuple(
                value / (value.norm(dim=1, keepdim=True) + EPSILON) * gain.view(1, -1, 1, 1)
                for value, gain in zip(values, self._gains, strict=True)
            )

    def distance(self, one: Sequence[torch.Tensor], other: Sequence[torch.Tensor]) -> float:
        """The sum over the taps of the mean squared difference, which is LPIPS."""
        return float(sum((a - b).square().mean() for a, b in zip(one, other, strict=True)))

    def _values(self, value: torch.Tensor) -> list[torch.Tensor]:
        """At the taps, before each is scaled to unit length."""
        from torch.nn import functional

        values = []
        convolutions = iter(zip(self._kernels, self._biases, strict=True))
        for layer in self._layers:
            if isinstance(layer, Convolution):
                kernel, bias = next(convolutions)
                value = functional.conv2d(value, kernel, bias, layer.stride, layer.padding).relu()
            elif isinstance(layer, Pooling):
                value = functional.max_pool2d(value, layer.side, layer.stride)
            else:
                values.append(value)
        return values
