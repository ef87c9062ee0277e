"""DreamOmni2, with its repository on the import path (`repo`).

The model is two: a vision-language model that words the edit, and a LoRA on FLUX.1-Kontext that does it; both
folders (`vlm-model`, `edit_lora`) are in the weights. Written from the repository's published usage; not run
here against the real weights.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

VERSION = "1"
TASK = " It is editing task."
"""What the language model was trained to see behind an editing instruction."""
LONGEST_PROMPT_TOKENS = 4096


def load(parameters: dict[str, Any]) -> dict[str, Any]:
    import torch
    from dreamomni2.pipeline_dreamomni2 import (  # type: ignore[import-not-found, unused-ignore]
        DreamOmni2Pipeline,
    )
    from huggingface_hub import snapshot_download
    from transformers import AutoProcessor, Qwen2_5_VLForConditionalGeneration

    name = parameters["weights"]
    root = Path(name) if Path(name).is_dir() else Path(snapshot_download(name))
    device = f"cuda:{parameters['replica'] % max(1, torch.cuda.device_count())}"
    pipeline = DreamOmni2Pipeline.from_pretrained(parameters["base"], torch_dtype=torch.bfloat16).to(device)
    pipeline.load_lora_weights(str(root / "edit_lora"), adapter_name="edit")
    pipeline.set_adapters(["edit"], adapter_weights=[1])
    language_model: Any = Qwen2_5_VLForConditionalGeneration.from_pretrained(
        str(root / "vlm-model"), torch_dtype=torch.bfloat16
    )
    processor: Any = AutoProcessor
    return {
        "pipeline": pipeline,
        "language_model": language_model.to(device),
        "processor": processor.from_pretrained(str(root / "vlm-model")),
        "device": device,
        "parameters": parameters,
    }


def edit(state: dict[str, Any], image_path: str, instruction: str, seed: int, output_path: str) -> None:
    import torch
    from PIL import Image
    from utils.vprocess import resizeinput  # type: ignore[import-not-found, unused-ignore]

    image = Image.open(image_path).convert("RGB")
    resized = resizeinput(image)
    result = state["pipeline"](
        images=[resized],
        width=resized.width,
        height=resized.height,
        prompt=_worded(state, image_path, instruction),
        num_inference_steps=state["parameters"]["steps"],
        guidance_scale=state["parameters"]["guidance"],
        generator=torch.Generator(device=state["device"]).manual_seed(seed),
    )
    result.images[0].save(output_path)


def _worded(state: dict[str, Any], image_path: str, instruction: str) -> str:
    """The prompt for the image model: what the language model writes between its two tags."""
    from utils.vprocess import process_vision_info  # type: ignore[import-not-found, unused-ignore]

    asked = [{"type": "image", "image": image_path}, {"type": "text", "text": instruction + TASK}]
    messages = [{"role": "user", "content": asked}]
    processor = state["processor"]
    text = processor.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
    images, videos = process_vision_info(messages)
    inputs = processor(text=[text], images=images, videos=videos, padding=True, return_tensors="pt")
    inputs = inputs.to(state["device"])
    written = state["language_model"].generate(
        **inputs, do_sample=False, max_new_tokens=LONGEST_PROMPT_TOKENS
    )
    answer = processor.batch_decode(written[:, inputs.input_ids.shape[1] :], skip_special_tokens=True)[0]
    return str(answer).partition(">")[2].rpartition("<")[0].strip() or str(answer)
