"""Ovis-U1, whose code comes with its weights.

An edit needs three conditions: nothing, the picture alone, and the picture with the instruction. Written from
the model's published interface; not run here against the real weights.
"""

from __future__ import annotations

from typing import Any

VERSION = "1"
MULTIPLE = 32
NO_INSTRUCTION = "Generate an image."
"""What the model was trained to see where there is no instruction."""


def load(parameters: dict[str, Any]) -> dict[str, Any]:
    import torch
    from transformers import AutoModelForCausalLM

    device = f"cuda:{parameters['replica'] % max(1, torch.cuda.device_count())}"
    model: Any = AutoModelForCausalLM.from_pretrained(
        parameters["weights"], torch_dtype=torch.bfloat16, trust_remote_code=True
    )
    return {"model": model.eval().to(device).to(torch.bfloat16), "parameters": parameters}


def edit(state: dict[str, Any], image_path: str, instruction: str, seed: int, output_path: str) -> None:
    import torch
    from PIL import Image

    model, parameters = state["model"], state["parameters"]
    image = Image.open(image_path).convert("RGB")
    height, width = model.get_visual_tokenizer().smart_resize(image.height, image.width, factor=MULTIPLE)
    resized = image.resize((width, height))
    blank = Image.new("RGB", (width, height), (255, 255, 255))
    options = {
        "height": height,
        "width": width,
        "num_steps": parameters["steps"],
        "txt_cfg": parameters["guidance"],
        "img_cfg": parameters["image_guidance"],
        "seed": seed,
        **_text_options(model),
    }
    with torch.inference_mode():
        nothing, _ = _condition(model, NO_INSTRUCTION, blank, options)
        picture_alone, _ = _condition(model, NO_INSTRUCTION, resized, options)
        whole, pixels = _condition(model, instruction.strip(), resized, options)
        whole["vae_pixel_values"] = pixels
        results = model.generate_img(cond=whole, no_both_cond=nothing, no_txt_cond=picture_alone, **options)
    results[0].save(output_path)


def _text_options(model: Any) -> dict[str, Any]:
    tokenizer = model.get_text_tokenizer()
    unused = dict.fromkeys(("top_p", "top_k", "temperature", "repetition_penalty"))
    return {
        "max_new_tokens": 1024,
        "do_sample": False,
        "use_cache": True,
        "eos_token_id": tokenizer.eos_token_id,
        "pad_token_id": tokenizer.pad_token_id,
        **unused,
    }


def _condition(model: Any, prompt: str, image: Any, options: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    """What the model makes of (prompt, picture), and the picture's pixels for its autoencoder."""
    import torch

    visual = model.get_visual_tokenizer()
    image, pixels, positions = model.visual_generator.process_image_aspectratio(image, image.size)
    positions[..., 0] = 1.0
    smaller = visual.smart_resize(
        image.height, image.width, max_pixels=visual.image_processor.min_pixels
    )  # height, width
    _, ids, patches, grid = model.preprocess_inputs(
        f"<image>\n{prompt}",
        [image.resize((smaller[1], smaller[0]))],
        generation_preface=None,
        return_labels=False,
        propagate_exception=False,
        multimodal_type="single_image",
        fix_sample_overall_length_navit=False,
    )
    mask = torch.ne(ids, model.get_text_tokenizer().pad_token_id)
    condition = model.generate_condition(
        ids.unsqueeze(0).to(model.device),
        pixel_values=patches.to(visual.device, torch.bfloat16),
        attention_mask=mask.unsqueeze(0).to(model.device),
        grid_thws=grid.to(visual.device),
        **options,
    )
    return condition, pixels.unsqueeze(0).to(model.device)
