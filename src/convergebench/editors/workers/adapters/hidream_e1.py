"""HiDream-E1.1, with its repository on the import path (`repo`).

Its transformer is HiDream-I1's with the editing weights; the last share of the steps (`refine`) runs with
I1's own. Written from the repository's published usage; not run here against the real weights. The
instruction is passed on as it is, not rewritten by a language model.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

VERSION = "1"
PIXELS = 1024 * 1024
MULTIPLE = 16


def load(parameters: dict[str, Any]) -> dict[str, Any]:
    import torch
    from diffusers import HiDreamImageTransformer2DModel
    from pipeline_hidream_image_editing import (  # type: ignore[import-not-found, unused-ignore]
        HiDreamImageEditingPipeline,
    )
    from transformers import LlamaForCausalLM, PreTrainedTokenizerFast

    device = f"cuda:{parameters['replica'] % max(1, torch.cuda.device_count())}"
    transformers: Any = HiDreamImageTransformer2DModel
    transformer = transformers.from_pretrained(
        parameters["base"], subfolder="transformer", torch_dtype=torch.bfloat16
    )
    transformer.max_seq = 8192
    weights = {"editing": _editing_weights(parameters["weights"]), "refine": transformer.state_dict()}
    # Assigned, not copied: the base weights in `refine` must stay what they are.
    transformer.load_state_dict(weights["editing"], strict=True, assign=True)
    pipeline = HiDreamImageEditingPipeline.from_pretrained(
        parameters["base"],
        tokenizer_4=PreTrainedTokenizerFast.from_pretrained(parameters["llama"]),
        text_encoder_4=LlamaForCausalLM.from_pretrained(
            parameters["llama"], output_hidden_states=True, output_attentions=True, torch_dtype=torch.bfloat16
        ),
        transformer=transformer,
        torch_dtype=torch.bfloat16,
    ).to(device, torch.bfloat16)
    return {"pipeline": pipeline, "device": device, "weights": weights, "parameters": parameters}


def edit(state: dict[str, Any], image_path: str, instruction: str, seed: int, output_path: str) -> None:
    import torch
    from PIL import Image

    parameters = state["parameters"]
    image = Image.open(image_path).convert("RGB")
    result = state["pipeline"](
        prompt=instruction,
        image=image.resize(_working_size(*image.size), Image.Resampling.LANCZOS),
        guidance_scale=parameters["guidance"],
        image_guidance_scale=parameters["image_guidance"],
        num_inference_steps=parameters["steps"],
        refine_strength=parameters["refine"],
        reload_keys=state["weights"],
        generator=torch.Generator(device=state["device"]).manual_seed(seed),
    )
    result.images[0].resize(image.size, Image.Resampling.LANCZOS).save(output_path)


def _working_size(width: int, height: int) -> tuple[int, int]:
    """About a megapixel in the picture's own proportions, in steps that the model takes."""
    scale = (PIXELS / (width * height)) ** 0.5
    return int(width * scale) // MULTIPLE * MULTIPLE, int(height * scale) // MULTIPLE * MULTIPLE


def _editing_weights(name: str) -> dict[str, Any]:
    import torch
    from huggingface_hub import snapshot_download
    from safetensors.torch import load_file

    root = (
        Path(name) if Path(name).is_dir() else Path(snapshot_download(name, allow_patterns="transformer/*"))
    )
    weights: dict[str, Any] = {}
    for shard in sorted((root / "transformer").glob("*.safetensors")):
        weights.update(load_file(shard))
    return {key: tensor.to(torch.bfloat16) for key, tensor in weights.items()}
