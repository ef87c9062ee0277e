"""CLIP: the semantic similarity of two pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

import numpy as np

from convergebench.errors import DownloadFailed, MissingExtra
from convergebench.metrics._clip_halved import halved_if_as_good
from convergebench.metrics._clip_tower import ClipTower
from convergebench.metrics._device import uses_cuda
from convergebench.metrics._gpu.base import GpuMetric
from convergebench.metrics._weight_folder import has_model, weights_version
from convergebench.metrics.base import MetricOptions, MetricUnavailable, Registration, register
from convergebench.model_imports import model_imports
from convergebench.types import MetricFacts, Pixels

if TYPE_CHECKING:
    from numpy.typing import NDArray

DEFAULT_MODEL = "openai/clip-vit-large-patch14"
BATCH = 16
FACTS = MetricFacts(
    "clip",
    "1",
    "higher",
    perfect=1.0,
    worst=0.0,
    dimension="semantic",
    summary="Cosine of the two pictures' CLIP embeddings (ViT-L/14).",
    needs_weights=True,
)


@dataclass(frozen=True)
class Clip:
    """An image processor of transformers, and the vision half of a CLIP model."""

    processor: Any
    tower: ClipTower
    quick: ClipTower
    """The model that the metric uses: a faster form if it is as accurate, otherwise the same."""
    device: str
    weights: str
    """The folder or hub id that it was read from."""
    facts: MetricFacts = FACTS

    def prepare(self, source: Pixels) -> NDArray[np.float32]:
        return self._in_batches(self.quick, [source])[0]

    def compare(self, prepared: Sequence[NDArray[np.float32]], results: Sequence[Pixels]) -> list[float]:
        embedded = self._in_batches(self.quick, results)
        cosines = [np.dot(source, result) for source, result in zip(prepared, embedded, strict=True)]
        return [float(np.clip(cosine, -1, 1)) for cosine in cosines]

    def embedded(self, pictures: Sequence[Pixels]) -> list[NDArray[np.float32]]:
        """An embedding of unit length for each picture, in 32 bits."""
        return self._in_batches(self.tower, pictures)

    def _in_batches(self, tower: ClipTower, pictures: Sequence[Pixels]) -> list[NDArray[np.float32]]:
        batches = [pictures[start : start + BATCH] for start in range(0, len(pictures), BATCH)]
        return [embedding for batch in batches for embedding in self._embedded(tower, batch)]

    def _embedded(self, tower: ClipTower, pictures: Sequence[Pixels]) -> NDArray[np.float32]:
        inputs = self.processor(list(pictures), return_tensors="pt", input_data_format="channels_last")
        embedded: NDArray[np.float32] = tower(inputs["pixel_values"].to(self.device)).cpu().numpy()
        return embedded


def is_here(options: MetricOptions) -> bool:
    """Whether its weights are cached. Loads nothing."""
    return has_model(options.clip or DEFAULT_MODEL)


def load(options: MetricOptions) -> Clip:
    name = options.clip or DEFAULT_MODEL
    if find_spec("torch") is None or find_spec("transformers") is None:
        raise MetricUnavailable("CLIP needs torch and transformers: pip install 'convergebench[torch]'")
    if not has_model(name):  # before torch is imported, which takes seconds
        raise MetricUnavailable(_advice(name))
    with model_imports:
        import transformers

    device = "cuda" if uses_cuda(options) else "cpu"
    messages: Any = transformers.logging
    messages.disable_progress_bar()
    try:
        processor, model = _processor(name), read_model(name)
        del model.text_model
        tower = ClipTower(model.to(device))
        quick = halved_if_as_good(tower, version(options)) if device == "cpu" else tower
        loaded = Clip(processor, tower, quick, device, name)
    except (OSError, ValueError, RuntimeError) as error:
        raise MetricUnavailable(_advice(name)) from error
    _in_use[version(options)] = loaded
    return loaded


_in_use: WeakValueDictionary[str, Clip] = WeakValueDictionary()


def in_use(version: str) -> Clip | None:
    """The model loaded under this version, if it is still in use.

    It takes a gigabyte, so other measurements with CLIP share the loaded one.
    """
    return _in_use.get(version)


def _processor(name: str) -> Any:
    with model_imports:
        import transformers

        # If there are two, the one without "Pil" in its name needs torchvision.
        pil = hasattr(transformers, "CLIPImageProcessorPil")
        kind: Any = transformers.CLIPImageProcessorPil if pil else transformers.CLIPImageProcessor
    return kind.from_pretrained(name, local_files_only=True)


def read_model(name: str) -> Any:
    """Both halves, from a folder or the hub's cache; raises OSError, ValueError or RuntimeError."""
    import torch

    with model_imports:
        from transformers import CLIPModel

    loaded: Any = CLIPModel.from_pretrained(
        name, dtype=torch.float32, output_loading_info=True, local_files_only=True
    )
    model, found = loaded
    # transformers fills such gaps with random numbers, which would look like a measurement.
    if found["missing_keys"]:
        raise ValueError(f"{len(found['missing_keys'])} tensors of CLIP are not in {name}")
    return model


def _advice(name: str) -> str:
    if Path(name).is_dir():
        return f"{name} does not hold a CLIP model that transformers can read; give --clip another folder"
    return f"CLIP weights are not here yet: convergebench weights pull --clip, or --clip FOLDER ({name})"


def version(options: MetricOptions) -> str:
    """The versions of the definition and of the weights: other weights give other values."""
    return f"1:{weights_version(options.clip or DEFAULT_MODEL)}"


def pull(name: str = DEFAULT_MODEL) -> None:
    """Fetch the weights from the hub into its own cache."""
    try:
        from huggingface_hub import snapshot_download
    except ImportError as error:
        raise MissingExtra("huggingface_hub", "torch") from error
    try:
        snapshot_download(name, allow_patterns=["*.json", "*.safetensors", "merges.txt"])
    except Exception as error:
        reason = type(error).__name__
        raise DownloadFailed(
            f"could not fetch {name} from the hub ({reason}); is there a network?"
        ) from error


def _on_gpu(options: MetricOptions, device: str) -> GpuMetric:
    import torch

    from convergebench.metrics._gpu.semantic import ClipOnGpu

    return ClipOnGpu(load(options), torch.float16)


register(Registration(FACTS, load, version, on_gpu=_on_gpu))
