"""OmniGen2, with its repository on the import path (`repo`).

Written from the repository's published pipeline; not run here against the real weights.
"""

from __future__ import annotations

from typing import Any

VERSION = "1"


def load(parameters: dict[str, Any]) -> dict[str, Any]:
    import torch
    from omnigen2.models.transformers.transformer_omnigen2 import (  # type: ignore[import-not-found, unused-ignore]
        OmniGen2Transformer2DModel,
    )
    from omnigen2.pipelines.omnigen2.pipeline_omnigen2 import (  # type: ignore[import-not-found, unused-ignore]
        OmniGen2Pipeline,
    )

    weights = parameters["weights"]
    pipeline = OmniGen2Pipeline.from_pretrained(weights, torch_dtype=torch.bfloat16, trust_remote_code=True)
    pipeline.transformer = OmniGen2Transformer2DModel.from_pretrained(
        weights, subfolder="transformer", torch_dtype=torch.bfloat16
    )
    device = f"cuda:{parameters['replica'] % max(1, torch.cuda.device_count())}"
    return {"pipeline": pipeline.to(device), "device": device, "parameters": parameters}


def edit(state: dict[str, Any], image_path: str, instruction: str, seed: int, output_path: str) -> None:
    import torch
    from PIL import Image

    parameters = state["parameters"]
    result = state["pipeline"](
        prompt=instruction,
        input_images=[Image.open(image_path).convert("RGB")],
        width=parameters["side"],
        height=parameters["side"],
        num_inference_steps=parameters["steps"],
        text_guidance_scale=parameters["guidance"],
        image_guidance_scale=parameters["image_guidance"],
        generator=torch.Generator(device=state["device"]).manual_seed(seed),
        output_type="pil",
    )
    result.images[0].save(output_path)
