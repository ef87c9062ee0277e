"""InternVL-U, with its repository on the import path (`repo`).

Written from the repository's published example; not run here against the real weights.
"""

from __future__ import annotations

from typing import Any

VERSION = "1"


def load(parameters: dict[str, Any]) -> dict[str, Any]:
    import torch
    from internvlu import InternVLUPipeline  # type: ignore[import-not-found, unused-ignore]

    device = f"cuda:{parameters['replica'] % max(1, torch.cuda.device_count())}"
    pipeline = InternVLUPipeline.from_pretrained(parameters["weights"], torch_dtype=torch.bfloat16)
    pipeline.to(device)
    return {"pipeline": pipeline, "device": device}


def edit(state: dict[str, Any], image_path: str, instruction: str, seed: int, output_path: str) -> None:
    import torch
    from PIL import Image

    image = Image.open(image_path).convert("RGB")
    with torch.no_grad():
        result = state["pipeline"](
            prompt=instruction,
            image=image,
            generation_mode="image",
            width=image.width,
            height=image.height,
            generator=torch.Generator(device=state["device"]).manual_seed(seed),
        )
    result.images[0].save(output_path)
