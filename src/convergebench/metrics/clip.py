"""CLIP: how near two pictures are in meaning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from convergebench.metrics._device import uses_cuda
from convergebench.metrics.base import Metric, MetricOptions, MetricUnavailable, Registration, register
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
)


@dataclass(frozen=True)
class Clip:
    """An image processor and a CLIP model, both from transformers; only its vision half is used."""

    processor: Any
    model: Any
    device: str
    facts: MetricFacts = FACTS

    def prepare(self, source: Pixels) -> NDArray[np.float32]:
        embedding: NDArray[np.float32] = self._embedded([source])[0]
        return embedding

    def compare(self, prepared: Sequence[NDArray[np.float32]], results: Sequence[Pixels]) -> list[float]:
        batches = [results[start : start + BATCH] for start in range(0, len(results), BATCH)]
        embedded = [embedding for batch in batches for embedding in self._embedded(batch)]
        cosines = [np.dot(source, result) for source, result in zip(prepared, embedded, strict=True)]
        return [float(np.clip(cosine, -1, 1)) for cosine in cosines]

    def _embedded(self, pictures: Sequence[Pixels]) -> NDArray[np.float32]:
        """One embedding of unit length in each row."""
        import torch

        inputs = self.processor(list(pictures), return_tensors="pt", input_data_format="channels_last")
        with torch.inference_mode():
            seen = self.model.vision_model(inputs["pixel_values"].to(self.device)).pooler_output
            embedded = self.model.visual_projection(seen)
            unit: NDArray[np.float32] = (embedded / embedded.norm(dim=-1, keepdim=True)).cpu().numpy()
        return unit


def load(options: MetricOptions) -> Metric:
    try:
        import torch  # noqa: F401
        import transformers
    except ImportError as error:
        raise MetricUnavailable(
            "CLIP needs torch and transformers: pip install 'convergebench[torch]'"
        ) from error
    device = "cuda" if uses_cuda(options) else "cpu"
    name = options.clip or DEFAULT_MODEL
    transformers.logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    try:
        return Clip(_processor(name), _model(name).to(device), device)
    except (OSError, ValueError, RuntimeError) as error:
        raise MetricUnavailable(_advice(name)) from error


def _processor(name: str) -> Any:
    import transformers

    # Where there are two of them, the one without "Pil" in its name needs torchvision.
    pil = hasattr(transformers, "CLIPImageProcessorPil")
    kind: Any = transformers.CLIPImageProcessorPil if pil else transformers.CLIPImageProcessor
    return kind.from_pretrained(name)


def _model(name: str) -> Any:
    import torch
    from transformers import CLIPModel

    loaded: Any = CLIPModel.from_pretrained(name, dtype=torch.float32, output_loading_info=True)
    model, found = loaded
    # transformers fills such gaps with random numbers, which would look like a measurement.
    if found["missing_keys"]:
        raise ValueError(f"{len(found['missing_keys'])} tensors of CLIP are not in {name}")
    del model.text_model
    return model


def _advice(name: str) -> str:
    if Path(name).is_dir():
        return f"{name} does not hold a CLIP model that transformers can read; give --clip another folder"
    return (
        f"the CLIP weights {name} are neither here nor to be had from the hub: "
        "try again with a network connection, or give --clip a folder that holds them"
    )


register(Registration(FACTS, load))
