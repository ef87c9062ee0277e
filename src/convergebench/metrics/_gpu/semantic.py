"""CLIP of many pictures at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from convergebench.metrics._gpu.base import on_device
from convergebench.metrics._gpu.recorded import Recorded
from convergebench.metrics._gpu.resampling import Scaling, resized
from convergebench.metrics.clip import Clip

if TYPE_CHECKING:
    import torch
    from torch import Tensor

_BICUBIC = 3


class ClipOnGpu:
    """Uses 16-bit products, which changes the cosine by less than a thousandth (docs/metrics.md)."""

    def __init__(self, clip: Clip, dtype: torch.dtype) -> None:
        self._clip = clip
        self._prepared = Preparation(clip.processor) if Preparation.is_usual(clip.processor) else None
        tower = clip.tower.of_type(dtype)

        def embedded(prepared: Tensor) -> tuple[Tensor]:
            return (tower(prepared),)

        side = clip.tower.side
        self._embedded = embedded if clip.device == "cpu" else Recorded(embedded, (3, side, side))

    def unfit(self, height: int, width: int) -> str | None:
        return None

    def features(self, pictures: Tensor) -> tuple[Tensor, ...]:
        if self._prepared is not None:
            return self._embedded(self._prepared(pictures))
        processed = self._clip.processor(
            list(pictures.cpu().numpy()), return_tensors="pt", input_data_format="channels_last"
        )
        return self._embedded(processed["pixel_values"].to(pictures.device))

    def values(self, sources: tuple[Tensor, ...], results: tuple[Tensor, ...]) -> Tensor:
        return (sources[0] * results[0]).sum(1).clamp(-1, 1)


class Preparation:
    """The steps of transformers' image processor on the device: resize, crop the centre, normalise."""

    def __init__(self, processor: Any) -> None:
        import torch

        self._edge: int = processor.size["shortest_edge"]
        self._crop: tuple[int, int] = (processor.crop_size["height"], processor.crop_size["width"])
        mean, deviation = (
            torch.tensor(each).view(3, 1, 1) for each in (processor.image_mean, processor.image_std)
        )
        self._factor = (processor.rescale_factor / deviation).numpy()
        self._offset = (-mean / deviation).numpy()

    @staticmethod
    def is_usual(processor: Any) -> bool:
        """Whether the processor does exactly these steps. Any other processor is used itself."""
        steps = ("do_resize", "do_center_crop", "do_rescale", "do_normalize")
        return (
            all(getattr(processor, step, False) for step in steps)
            and processor.resample == _BICUBIC
            and not getattr(processor, "do_pad", None)
            and dict(processor.size).get("longest_edge") is None
            and (dict(processor.size).get("shortest_edge") or 0) >= max(dict(processor.crop_size).values())
        )

    def __call__(self, pictures: Tensor) -> Tensor:
        device = pictures.device
        height, width = pictures.shape[1:3]
        rows, columns = (
            self._middle(size, size <= other, crop, size / other)
            for size, other, crop in ((height, width, self._crop[0]), (width, height, self._crop[1]))
        )
        levels = resized(pictures, rows, columns)
        return levels.mul_(on_device(self._factor, device)).add_(on_device(self._offset, device))

    def _middle(self, size: int, is_shorter: bool, crop: int, ratio: float) -> Scaling:
        """To the centre of the resized picture."""
        to_size = self._edge if is_shorter else int(self._edge * ratio)
        return Scaling(size, to_size, "bicubic", (to_size - crop) // 2, crop)
