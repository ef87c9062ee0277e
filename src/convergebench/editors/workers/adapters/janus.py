"""Janus-4o, with the Janus repository on the import path (`repo`).

The picture goes in twice, as the understanding encoder sees it and as the tokens it would be drawn with, and
the new one comes out as 576 tokens. It is 384 × 384 inside and is brought back to the size it had. Written
from the model's published description; not run here against the real weights.
"""

from __future__ import annotations

from typing import Any

VERSION = "1"
TOKENS = 576
SIDE = 384
PATCH = 16
CHANNELS = 8


def load(parameters: dict[str, Any]) -> dict[str, Any]:
    import torch
    from janus.models import VLChatProcessor  # type: ignore[import-not-found, unused-ignore]
    from transformers import AutoModelForCausalLM

    device = f"cuda:{parameters['replica'] % max(1, torch.cuda.device_count())}"
    model: Any = AutoModelForCausalLM.from_pretrained(
        parameters["weights"], trust_remote_code=True, torch_dtype=torch.bfloat16
    )
    processor = VLChatProcessor.from_pretrained(parameters["weights"])
    return {"model": model.to(device).eval(), "processor": processor, "device": device, **parameters}


def edit(state: dict[str, Any], image_path: str, instruction: str, seed: int, output_path: str) -> None:
    import torch
    from PIL import Image

    torch.manual_seed(seed)
    image = Image.open(image_path).convert("RGB")
    with torch.inference_mode():
        tokens = _drawn(state, _prompts(state, image, instruction))
        shape = [1, CHANNELS, SIDE // PATCH, SIDE // PATCH]
        decoded = state["model"].gen_vision_model.decode_code(tokens.to(torch.int), shape=shape)[0]
    pixels = ((decoded.float() + 1) * 127.5).clamp(0, 255).to(torch.uint8)
    result = Image.fromarray(pixels.permute(1, 2, 0).cpu().numpy())
    result.resize(image.size, Image.Resampling.LANCZOS).save(output_path)


def _prompts(state: dict[str, Any], image: Any, instruction: str) -> Any:
    """Embeddings of three prompts: with picture and its tokens, without the tokens, and with nothing."""
    import torch

    model, processor = state["model"], state["processor"]
    ids = torch.tensor(processor.tokenizer.encode(_text(processor, instruction)))
    rows = ids.repeat(3, 1)
    rows[2, 1:-1] = processor.pad_id
    pixels = processor.image_processor([image], return_tensors="pt")["pixel_values"]
    pixels = pixels.to(state["device"], torch.bfloat16)
    sees = torch.tensor([True, True, False])
    embedded = model.prepare_inputs_embeds(
        input_ids=rows.to(state["device"]),
        pixel_values=(pixels.unsqueeze(0) * sees.view(3, 1, 1, 1, 1).to(pixels)),
        images_seq_mask=(rows == processor.image_id).to(state["device"]),
        images_emb_mask=sees.view(3, 1, 1).expand(3, 1, processor.num_image_tokens).to(state["device"]),
    )
    _, _, (_, _, drawn_with) = model.gen_vision_model.encode(pixels)
    first_end = int((ids == processor.image_end_id).nonzero()[0])
    start = first_end + 2  # behind the tags that end one block and begin the other
    embedded[0, start : start + TOKENS] = model.prepare_gen_img_embeds(drawn_with.reshape(1, -1))[0]
    return embedded


def _text(processor: Any, instruction: str) -> str:
    count = processor.num_image_tokens
    seen = processor.image_start_tag + processor.image_tag * count + processor.image_end_tag
    drawn = processor.image_start_tag + processor.pad_tag * count + processor.image_end_tag
    turns = [
        {"role": "<|User|>", "content": seen + drawn + instruction},
        {"role": "<|Assistant|>", "content": ""},
    ]
    conversation = processor.apply_sft_template_for_multi_turn_prompts(
        conversations=turns, sft_format=processor.sft_format, system_prompt=""
    )
    return str(conversation + processor.image_start_tag)


def _drawn(state: dict[str, Any], embedded: Any) -> Any:
    """The new picture's tokens, one after the other, guided away from the empty prompt."""
    import torch

    model, towards = state["model"], state["image_guidance"]
    drawn, past = [], None
    for _ in range(TOKENS):
        step = model.language_model.model(inputs_embeds=embedded, use_cache=True, past_key_values=past)
        past = step.past_key_values
        whole, without_tokens, nothing = model.gen_head(step.last_hidden_state[:, -1, :])
        wanted = (whole + towards * without_tokens) / (1 + towards)
        logits = nothing + state["guidance"] * (wanted - nothing)
        token = torch.multinomial(torch.softmax(logits / state["temperature"], dim=-1), num_samples=1)
        drawn.append(token)
        embedded = model.prepare_gen_img_embeds(token.repeat(3)).unsqueeze(1)
    return torch.stack(drawn, dim=1)
