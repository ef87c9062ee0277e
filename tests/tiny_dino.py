"""A vision transformer with random weights in the form of DINO's, as transformers saves one."""

from __future__ import annotations

from pathlib import Path

from late_import import torch, transformers


def save_tiny_dino(folder: Path, patch: int = 16) -> Path:
    torch.manual_seed(0)
    config = transformers.ViTConfig(
        hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2, image_size=224,
        patch_size=patch, initializer_range=0.5,
    )  # fmt: skip
    transformers.ViTModel(config, add_pooling_layer=False).save_pretrained(folder)
    return folder
