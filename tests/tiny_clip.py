"""A whole CLIP with random weights, pictures and words, as transformers saves one."""

from __future__ import annotations

import string
from pathlib import Path

from late_import import torch, transformers

SIDE = 56
_START, _END = "<|startoftext|>", "<|endoftext|>"


def save_tiny_clip(folder: Path) -> Path:
    """Its tokenizer knows the letters; one that ends a word is another token."""
    letters = [*string.ascii_lowercase, *(f"{letter}</w>" for letter in string.ascii_lowercase)]
    words = {token: place for place, token in enumerate((_START, _END, *letters))}
    transformers.CLIPTokenizer(vocab=words, merges=[]).save_pretrained(folder)
    torch.manual_seed(0)
    small = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2,
             "initializer_range": 1.0}  # fmt: skip
    text = small | {"vocab_size": len(words), "bos_token_id": 0, "eos_token_id": 1, "pad_token_id": 1}
    vision = small | {"image_size": SIDE, "patch_size": 14}
    transformers.CLIPModel(
        transformers.CLIPConfig(text_config=text, vision_config=vision, projection_dim=24)
    ).save_pretrained(folder)
    transformers.CLIPImageProcessorPil(
        size={"shortest_edge": SIDE}, crop_size={"height": SIDE, "width": SIDE}, image_mean=[0.3, 0.4, 0.5]
    ).save_pretrained(folder)
    return folder
