"""DINO: how alike two pictures are to a vision transformer that was trained without labels.

`dino` is MagicBrush's figure, for ViT-S/16: the cosine of the class tokens of the centre of both pictures.
`dino_structure` is PIE-Bench's structure distance, for ViT-B/8: the mean squared difference between the
self-similarities of the keys of the last layer. Both use the weights that are given.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from convergebench.metrics._device import uses_cuda
from convergebench.metrics._weight_folder import has_model, weights_version
from convergebench.metrics.base import MetricOptions, MetricUnavailable, Registration, register
from convergebench.model_imports import model_imports
from convergebench.types import MetricFacts, Pixels

if TYPE_CHECKING:
    from torch import Tensor

SIDE, AROUND = 224, 256
"""The side of the square that is seen, and the shorter side of the picture that it is cut out of."""
LONGEST = 480
_MEAN, _DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
SIMILARITY = MetricFacts(
    "dino",
    "1",
    "higher",
    perfect=1.0,
    worst=0.0,
    dimension="semantic",
    summary="Cosine of the two pictures' DINO embeddings, with the weights of --dino.",
    needs_weights=True,
)
STRUCTURE = MetricFacts(
    "dino_structure",
    "1",
    "lower",
    perfect=0.0,
    worst=1.0,
    dimension="semantic",
    summary="Structure distance: PIE-Bench's, from DINO's keys, with the weights of --dino.",
    needs_weights=True,
)


@dataclass(frozen=True)
class DinoSimilarity:
    model: Any
    device: str
    facts: MetricFacts = SIMILARITY

    def prepare(self, source: Pixels) -> Tensor:
        return self._embedded([source])[0]

    def compare(self, prepared: Sequence[Tensor], results: Sequence[Pixels]) -> list[float]:
        import torch

        embedded = self._embedded(results)
        return torch.nn.functional.cosine_similarity(torch.stack(list(prepared)), embedded).tolist()

    def _embedded(self, pictures: Sequence[Pixels]) -> Tensor:
        import torch

        seen = torch.stack([_normalised(_centre(picture)) for picture in pictures]).to(self.device)
        with torch.inference_mode():
            tokens: Tensor = self.model(seen, interpolate_pos_encoding=True).last_hidden_state
        return tokens[:, 0].cpu()


@dataclass(frozen=True)
class DinoStructure:
    model: Any
    device: str
    facts: MetricFacts = STRUCTURE

    def prepare(self, source: Pixels) -> Tensor:
        return self._self_similarity(source)

    def compare(self, prepared: Sequence[Tensor], results: Sequence[Pixels]) -> list[float]:
        found = [self._self_similarity(result) for result in results]
        return [float(((one - other) ** 2).mean()) for one, other in zip(prepared, found, strict=True)]

    def _self_similarity(self, picture: Pixels) -> Tensor:
        """The cosines between the keys of all tokens, the class token among them."""
        import torch

        keys: list[Tensor] = []
        hook = _last_keys(self.model).register_forward_hook(lambda module, given, out: keys.append(out))
        try:
            with torch.inference_mode():
                seen = _normalised(_shrunk(picture, self.model.config.patch_size))[None]
                self.model(seen.to(self.device), interpolate_pos_encoding=True)
        finally:
            hook.remove()
        unit = torch.nn.functional.normalize(keys[0][0].cpu(), dim=-1)
        return unit @ unit.T


def _last_keys(model: Any) -> Any:
    """The projection to keys of the last layer, whatever this version of transformers calls it."""
    named = [module for name, module in model.named_modules() if name.endswith((".k_proj", ".attention.key"))]
    return named[-1]


def _centre(picture: Pixels) -> Pixels:
    from PIL import Image

    image = Image.fromarray(picture)
    width, height = image.size
    shrink = AROUND / min(width, height)
    image = image.resize((int(width * shrink), int(height * shrink)), Image.Resampling.BICUBIC)
    left, top = round((image.width - SIDE) / 2), round((image.height - SIDE) / 2)
    return np.asarray(image.crop((left, top, left + SIDE, top + SIDE)))


def _shrunk(picture: Pixels, patch: int) -> Pixels:
    """The whole picture, its shorter side 224, cut to whole patches where it is no square."""
    from PIL import Image

    height, width, _ = picture.shape
    shrink = min(SIDE / min(width, height), LONGEST / max(width, height))
    size = max(patch, int(width * shrink)), max(patch, int(height * shrink))
    resized = np.asarray(Image.fromarray(picture).resize(size, Image.Resampling.BILINEAR))
    return resized[: size[1] // patch * patch, : size[0] // patch * patch]


def _normalised(picture: Pixels) -> Tensor:
    import torch

    mean, deviation = (np.asarray(one, np.float32) for one in (_MEAN, _DEVIATION))
    values = (picture.astype(np.float32) / 255 - mean) / deviation
    return torch.from_numpy(np.ascontiguousarray(values.transpose(2, 0, 1)))


def _model(options: MetricOptions) -> tuple[Any, str]:
    name = options.dino
    if name is None:
        raise MetricUnavailable("DINO has no weights: give --dino FOLDER, a copy of facebook/dino-vits16")
    if find_spec("torch") is None or find_spec("transformers") is None:
        raise MetricUnavailable("DINO needs torch and transformers: pip install 'convergebench[torch]'")
    advice = f"{name} holds no vision transformer that transformers can read; give --dino another folder"
    if not has_model(name):
        raise MetricUnavailable(advice)
    import torch

    with model_imports:
        from transformers import ViTModel

    try:
        loaded: Any = ViTModel.from_pretrained(
            name, add_pooling_layer=False, dtype=torch.float32, output_loading_info=True,
            local_files_only=True,
        )  # fmt: skip
    except (OSError, ValueError, RuntimeError) as error:
        raise MetricUnavailable(advice) from error
    model, found = loaded
    # transformers fills such gaps with random numbers, which would look like a measurement.
    if found["missing_keys"]:
        raise MetricUnavailable(advice)
    device = "cuda" if uses_cuda(options) else "cpu"
    return model.eval().to(device), device


def _version(options: MetricOptions) -> str:
    return f"1:{weights_version(options.dino)}" if options.dino else "1"


register(Registration(SIMILARITY, lambda options: DinoSimilarity(*_model(options)), _version))
register(Registration(STRUCTURE, lambda options: DinoStructure(*_model(options)), _version))
