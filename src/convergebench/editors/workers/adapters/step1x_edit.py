"""Step1X-Edit v1p1 and v1p2, with the fork of diffusers that holds their pipelines.

Written from the pipelines' published signatures; not run here against the real weights.
Thinking and reflection, which rewrite the prompt, stay off.
"""

from __future__ import annotations

from typing import Any

VERSION = "1"


def load(parameters: dict[str, Any]) -> dict[str, Any]:
    import diffusers
    import torch

    pipeline_class = getattr(diffusers, parameters["pipeline"])
    pipeline = pipeline_class.from_pretrained(parameters["weights"], torch_dtype=torch.bfloat16)
    device = f"cuda:{parameters['replica'] % max(1, torch.cuda.device_count())}"
    if parameters["pipeline"].endswith("V1P2"):
        guidance = {
            "true_cfg_scale": parameters["guidance"],
            "enable_thinking_mode": False,
            "enable_reflection_mode": False,
        }
    else:
        guidance = {"guidance_scale": parameters["guidance"]}
    return {
        "pipeline": pipeline.to(device),
        "options": {"num_inference_steps": parameters["steps"], **guidance},
    }


def edit(state: dict[str, Any], image_path: str, instruction: str, seed: int, output_path: str) -> None:
    import torch
    from PIL import Image

    result = state["pipeline"](
        image=Image.open(image_path).convert("RGB"),
        prompt=instruction,
        generator=torch.Generator().manual_seed(seed),
        **state["options"],
    )
    result.images[0].save(output_path)
