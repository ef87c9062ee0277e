"""DISTS of many pictures at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from convergebench.metrics._dists_network import (
    IMAGENET_DEVIATION,
    IMAGENET_MEAN,
    POOLING_EPSILON,
    STABILISER,
    Importance,
    pooling_window,
    shrunk_size,
)
from convergebench.metrics._gpu.resampling import Scaling, resized
from convergebench.metrics._lpips_network import LAYERS, Convolution, Pooling, read_weights
from convergebench.metrics._lpips_torch import exact_convolutions

if TYPE_CHECKING:
    from torch import Tensor


class DistsOnGpu:
    """The features are the stages, their channels centred, and the means and variances of all channels."""

    def __init__(self, importance: Importance, device: str, *, shrinks: bool) -> None:
        import torch

        weights = read_weights("vgg")
        self._kernels, self._biases = (
            [torch.from_numpy(array).to(device) for array in arrays]
            for arrays in (weights.kernels, weights.biases)
        )
        self._mean, self._deviation = (
            torch.tensor(each, device=device).view(1, 3, 1, 1) for each in (IMAGENET_MEAN, IMAGENET_DEVIATION)
        )
        self._window = torch.from_numpy(pooling_window()).to(device)
        self._of_means = torch.from_numpy(importance.of_means).to(device)
        self._of_structure = torch.from_numpy(importance.of_structure).to(device)
        self._shrinks = shrinks

    def unfit(self, height: int, width: int) -> str | None:
        return None

    def features(self, pictures: Tensor) -> tuple[Tensor, ...]:
        import torch

        height, width = pictures.shape[1:3]
        to_size = shrunk_size(height, width) if self._shrinks else (height, width)
        if to_size == (height, width):
            levels = pictures.permute(0, 3, 1, 2).float()
        else:
            rows, columns = (
                Scaling(size, to, "bilinear") for size, to in zip((height, width), to_size, strict=True)
            )
            levels = resized(pictures, rows, columns)
        stages = self._stages(levels / 255)
        means = [stage.mean((2, 3)) for stage in stages]
        centred = [stage - mean[..., None, None] for stage, mean in zip(stages, means, strict=True)]
        variances = [stage.square().mean((2, 3)) for stage in centred]
        return (*centred, torch.cat(means, dim=1), torch.cat(variances, dim=1))

    def values(self, sources: tuple[Tensor, ...], results: tuple[Tensor, ...]) -> Tensor:
        import torch

        *stages, means, variances = sources
        *other_stages, other_means, other_variances = results
        between = torch.cat(
            [(one - other).square_().mean((2, 3)) for one, other in zip(stages, other_stages, strict=True)],
            dim=1,
        )
        of_means = (means - other_means) ** 2 / (means**2 + other_means**2 + STABILISER)
        of_structure = between / (variances + other_variances + STABILISER)
        return (of_means * self._of_means + of_structure * self._of_structure).sum(1)

    def _stages(self, pictures: Tensor) -> list[Tensor]:
        from torch.nn import functional

        value, stages = (pictures - self._mean) / self._deviation, [pictures]
        convolutions = iter(zip(self._kernels, self._biases, strict=True))
        with exact_convolutions():
            for layer in LAYERS["vgg"]:
                if isinstance(layer, Convolution):
                    value = functional.conv2d(value, *next(convolutions), padding=1).relu_()
                elif isinstance(layer, Pooling):
                    value = self._smoothly_pooled(value)
                else:
                    stages.append(value.clone())
        return stages

    def _smoothly_pooled(self, value: Tensor) -> Tensor:
        """The root mean square under the window, with stride 2."""
        from torch.nn import functional

        channels = value.shape[1]
        window = self._window.expand(channels, 1, 3, 3)
        means = functional.conv2d(value.square(), window, stride=2, padding=1, groups=channels)
        return means.add_(POOLING_EPSILON).sqrt_()
