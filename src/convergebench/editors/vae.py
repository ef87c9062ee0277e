"""An autoencoder alone: encodes and decodes, edits nothing; no editor that works in its latents does better.

`vae:folder-or-hub-id`, of the autoencoder itself or of a pipeline that holds one. The latent is the mode of
what the encoder gives, so that nothing is drawn by chance. Sides that the autoencoder cannot halve often
enough are continued by reflection and cut off again, so that every size is kept.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from convergebench.editors._local_weights import DTYPES, chosen, class_named_in, found_device, load
from convergebench.editors._settings import without_settings
from convergebench.editors.needs import HubWeights, Package
from convergebench.editors.registry import Preset, provider
from convergebench.model_imports import model_imports
from convergebench.types import (
    Crashed,
    Edited,
    Editor,
    EditorFacts,
    EditRequest,
    Misconfigured,
    Pixels,
    Share,
)

if TYPE_CHECKING:
    import torch

OF_PICTURES = ("AutoencoderKL", "AutoencoderTiny", "AutoencoderKLFlux2", "AutoencoderDC")
OF_VIDEO = ("AutoencoderKLQwenImage",)
"""These take pictures as videos of one frame."""

PRESETS = {
    "vae-sd": Preset("stabilityai/sd-vae-ft-mse", 0.0),
    "vae-taesd": Preset("madebyollin/taesd", 0.0),
    "vae-flux-kontext": Preset("black-forest-labs/FLUX.1-Kontext-dev", 0.0, {"subfolder": "vae"}),
    "vae-flux2": Preset("black-forest-labs/FLUX.2-dev", 0.0, {"subfolder": "vae"}),
    "vae-qwen-image": Preset("Qwen/Qwen-Image-Edit", 0.0, {"subfolder": "vae"}),
}


@provider(
    "vae",
    summary="encodes and decodes with an autoencoder, on this machine",
    version="1",
    role="floor",
    price_usd=0.0,
    needs=(Package("diffusers", "diffusers"), Package("torch", "torch")),
    presets={name: replace(preset, needs=(HubWeights(preset.model),)) for name, preset in PRESETS.items()},
    parameters={"subfolder": "", "dtype": "float32", "device": "auto"},
)
def vae(facts: EditorFacts) -> Editor:
    chosen(facts, "dtype", DTYPES)
    return VaeEditor(without_settings(facts, "device"), str(facts.parameters["device"]))


class VaeEditor:
    """Loads the autoencoder on first use; all its work is done on one thread."""

    def __init__(self, facts: EditorFacts, device: str) -> None:
        self.facts = facts
        self.share = Share(gpus=float(device != "cpu"))
        self._device = device
        self._model: Any = None
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="vae")

    async def edit(self, request: EditRequest) -> Edited:
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._edit, request)

    async def close(self) -> None:
        self._thread.shutdown(wait=False)
        self._model = None

    def _edit(self, request: EditRequest) -> Edited:
        from convergebench.picture import Picture

        if self._model is None:
            self._model = _loaded(self.facts, self._device)
        return Edited(Picture.from_pixels(reconstructed(self._model, request.image.pixels)), cost_usd=0.0)


def _loaded(facts: EditorFacts, device: str) -> Any:
    import torch

    with model_imports:
        from diffusers import AutoModel

    model, subfolder = str(facts.parameters["model"]), str(facts.parameters["subfolder"])
    if not subfolder and class_named_in(Path(model).expanduser(), "model_index.json"):
        subfolder = "vae"
    place = found_device(device)
    named = str(load(model, AutoModel.load_config, subfolder=subfolder).get("_class_name"))
    if named not in OF_PICTURES + OF_VIDEO:
        supported = ", ".join(OF_PICTURES + OF_VIDEO)
        raise Misconfigured(f"{model} is a {named}, which is not supported; supported are {supported}")
    with model_imports:
        import diffusers

        kind = getattr(diffusers, named)
    autoencoder = load(
        model,
        kind.from_pretrained,
        subfolder=subfolder,
        torch_dtype=getattr(torch, str(facts.parameters["dtype"])),
    )
    return autoencoder.to(place).eval()


def reconstructed(model: Any, pixels: Pixels) -> Pixels:
    """The pixels after encoding and decoding."""
    import numpy as np
    import torch

    height, width = pixels.shape[:2]
    multiple = _side_multiple(model)
    padded = np.pad(pixels, ((0, -height % multiple), (0, -width % multiple), (0, 0)), mode="reflect")
    batch = torch.from_numpy(padded).permute(2, 0, 1)[None].to(model.device, model.dtype) / 127.5 - 1
    with torch.inference_mode():
        if type(model).__name__ in OF_VIDEO:
            sample = model.decode(_latent(model.encode(batch[:, :, None]))).sample[:, :, 0]
        else:
            sample = model.decode(_latent(model.encode(batch))).sample
    values = sample[0].permute(1, 2, 0)[:height, :width].float().cpu().numpy()
    if not np.isfinite(values).all():
        raise Crashed("the autoencoder's values overflowed: try dtype=float32")
    result: Pixels = ((values + 1) * 127.5).round().clip(0, 255).astype(np.uint8)
    return result


def _latent(encoded: Any) -> torch.Tensor:
    """The encoder's mean, which has different names in different classes."""
    if hasattr(encoded, "latent_dist"):
        mode: torch.Tensor = encoded.latent_dist.mode()
        return mode
    plain: torch.Tensor = encoded.latents if hasattr(encoded, "latents") else encoded.latent
    return plain


def _side_multiple(model: Any) -> int:
    """The reduction factor of the sides."""
    if hasattr(model, "spatial_compression_ratio"):
        return int(model.spatial_compression_ratio)
    widths = model.config.get("block_out_channels") or model.config["encoder_block_out_channels"]
    return 1 << len(widths) - 1
