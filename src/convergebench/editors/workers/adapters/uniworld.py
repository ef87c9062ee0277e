"""UniWorld-V1, with its repository on the import path (`repo`), FLUX.1 dev and SigLIP 2.

Written from the repository's published programs; not run here against the real weights.
"""

from __future__ import annotations

from typing import Any

VERSION = "1"
_SEEN = 448 * 448
"""The pixels that its language model sees."""


def load(parameters: dict[str, Any]) -> dict[str, Any]:
    import torch
    from transformers import AutoProcessor, SiglipImageProcessor, SiglipVisionModel
    from univa.models.qwen2p5vl.modeling_univa_qwen2p5vl import (  # type: ignore[import-not-found, unused-ignore]
        UnivaQwen2p5VLForConditionalGeneration,
    )
    from univa.utils.flux_pipeline import FluxPipeline  # type: ignore[import-not-found, unused-ignore]

    device = f"cuda:{parameters['replica'] % max(1, torch.cuda.device_count())}"
    half: dict[str, Any] = {"torch_dtype": torch.bfloat16}
    weights, siglip = str(parameters["weights"]), str(parameters["siglip"])
    model = UnivaQwen2p5VLForConditionalGeneration.from_pretrained(
        weights, attn_implementation="sdpa", **half
    ).to(device)
    pipeline = FluxPipeline.from_pretrained(
        parameters["base"], transformer=model.denoise_tower.denoiser, **half
    ).to(device)
    vision: Any = SiglipVisionModel.from_pretrained(siglip, **half)
    processor: Any = AutoProcessor
    pixels: Any = SiglipImageProcessor
    return {
        "model": model,
        "processor": processor.from_pretrained(weights, min_pixels=_SEEN, max_pixels=_SEEN),
        "pipeline": pipeline,
        "siglip": vision.to(device),
        "siglip_processor": pixels.from_pretrained(siglip),
        "device": device,
        "parameters": parameters,
    }


def edit(state: dict[str, Any], image_path: str, instruction: str, seed: int, output_path: str) -> None:
    import torch
    from PIL import Image
    from univa.utils.anyres_util import dynamic_resize  # type: ignore[import-not-found, unused-ignore]
    from univa.utils.denoiser_prompt_embedding_flux import (  # type: ignore[import-not-found, unused-ignore]
        encode_prompt,
    )

    pipeline, device, parameters = state["pipeline"], state["device"], state["parameters"]
    image = Image.open(image_path).convert("RGB")
    height, width = dynamic_resize(
        image.height, image.width, "any_11ratio", anchor_pixels=int(parameters["area"])
    )
    with torch.no_grad():
        seen = _embedded(state, image_path, image, instruction)
        words, pooled = encode_prompt(
            [pipeline.text_encoder, pipeline.text_encoder_2], [pipeline.tokenizer, pipeline.tokenizer_2],
            instruction, 256, device, 1,
        )  # fmt: skip
        result = pipeline(
            prompt_embeds=torch.concat([words, seen], dim=1),
            pooled_prompt_embeds=pooled,
            height=height,
            width=width,
            num_inference_steps=parameters["steps"],
            guidance_scale=parameters["guidance"],
            generator=torch.Generator(device=device).manual_seed(seed),
        )
    result.images[0].save(output_path)


def _embedded(state: dict[str, Any], image_path: str, image: Any, instruction: str) -> Any:
    """What the language model makes of the picture and the instruction."""
    from qwen_vl_utils import process_vision_info  # type: ignore[import-not-found, unused-ignore]

    content = [
        {"type": "text", "text": instruction},
        {"type": "image", "image": image_path, "min_pixels": _SEEN, "max_pixels": _SEEN},
    ]
    conversation = [{"role": "user", "content": content}]
    processor, device = state["processor"], state["device"]
    text = processor.apply_chat_template(conversation, tokenize=False, add_generation_prompt=True)
    text = "<|im_end|>\n".join(text.split("<|im_end|>\n")[1:])  # without the system message
    images, videos = process_vision_info(conversation)
    inputs = processor(text=[text], images=images, videos=videos, padding=True, return_tensors="pt").to(
        device
    )
    pixels = state["siglip_processor"].preprocess(images=image, do_resize=True, return_tensors="pt")
    return state["model"](
        inputs.input_ids,
        pixel_values=inputs.pixel_values,
        attention_mask=inputs.attention_mask,
        image_grid_thw=inputs.image_grid_thw,
        siglip_hidden_states=state["siglip"](pixels.pixel_values.to(device)).last_hidden_state,
        output_type="denoise_embeds",
    )
