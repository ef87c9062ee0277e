"""Emu3.5-Image, with its repository on the import path (`repo`).

Templates, special tokens and sampling are those of the repository's own configuration for pictures with an
instruction. Written from its published inference script; not run here against the real weights.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

VERSION = "1"
CONFIGURATION = "configs.example_config_x2i"
PICTURE = "<|IMAGE|>"


def load(parameters: dict[str, Any]) -> dict[str, Any]:
    import importlib

    from src.utils.model_utils import build_emu3p5  # type: ignore[import-not-found, unused-ignore]

    configuration: Any = importlib.import_module(CONFIGURATION)
    configuration.classifier_free_guidance = parameters["guidance"]
    configuration.image_area = parameters["area"]
    tokenizer_folder = Path(parameters["repo"]) / "src" / "tokenizer_emu3_ibq"
    model, tokenizer, codec = build_emu3p5(
        parameters["weights"],
        str(tokenizer_folder),
        parameters["vision_tokenizer"],
        vq_type=configuration.vq_type,
        model_device="auto",
        vq_device="cuda:0",
    )
    configuration.special_token_ids = {
        name: tokenizer.encode(text)[0] for name, text in configuration.special_tokens.items()
    }
    return {"configuration": configuration, "model": model, "tokenizer": tokenizer, "codec": codec}


def edit(state: dict[str, Any], image_path: str, instruction: str, seed: int, output_path: str) -> None:
    import torch
    from PIL import Image
    from src.utils.generation_utils import (  # type: ignore[import-not-found, unused-ignore]
        generate,
        multimodal_decode,
    )
    from src.utils.input_utils import build_image  # type: ignore[import-not-found, unused-ignore]

    configuration, model, tokenizer = state["configuration"], state["model"], state["tokenizer"]
    random.seed(seed)
    torch.manual_seed(seed)  # it takes no generator
    picture = build_image(Image.open(image_path).convert("RGB"), configuration, tokenizer, state["codec"])

    def tokens(text: str) -> Any:
        text = text.replace(PICTURE, picture)
        return tokenizer.encode(text, return_tensors="pt", add_special_tokens=False).to(model.device)

    asked = tokens(configuration.template.format(question=instruction))
    unasked = tokens(configuration.unc_prompt)
    for made in generate(configuration, model, tokenizer, asked, unasked, None):
        text = tokenizer.decode(made, skip_special_tokens=False)
        for kind, content in multimodal_decode(text, tokenizer, state["codec"]):
            if kind == "image":
                content.save(output_path)
                return
    raise RuntimeError("the model answered without a picture")
