"""Real diffusers pipelines with tiny random weights, saved to a folder as anybody's would be."""

from __future__ import annotations

import string
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tokenizers.pre_tokenizers import ByteLevel

from late_import import torch

LETTERS = sorted(ByteLevel.alphabet())
DOWN = ("DownEncoderBlock2D",) * 4
UP = ("UpDecoderBlock2D",) * 4
QWEN_SPECIAL = ["<|im_start|>", "<|im_end|>", "<|vision_start|>", "<|vision_end|>", "<|vision_pad|>",
                "<|image_pad|>", "<|video_pad|>"]  # fmt: skip


def save(build: Callable[[], Any], folder: Path) -> Path:
    """The weights are the same each time."""
    torch.manual_seed(0)
    build().save_pretrained(folder)
    return folder


def instruct_pix2pix(width: int = 8) -> Any:
    from diffusers import (
        EulerAncestralDiscreteScheduler,
        StableDiffusionInstructPix2PixPipeline,
        UNet2DConditionModel,
    )
    from transformers import CLIPTextModel

    unet = UNet2DConditionModel(
        sample_size=8,
        in_channels=8,
        out_channels=4,
        block_out_channels=(width, 2 * width),
        layers_per_block=1,
        norm_num_groups=8,
        down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"),
        up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"),
        cross_attention_dim=16,
        attention_head_dim=4,
    )
    return StableDiffusionInstructPix2PixPipeline(
        vae=autoencoder_kl(width),
        text_encoder=CLIPTextModel(_clip_text_config(16)),
        tokenizer=_clip_tokenizer(),
        unet=unet,
        scheduler=EulerAncestralDiscreteScheduler(),
        safety_checker=None,
        feature_extractor=None,
        requires_safety_checker=False,
    )


def flux_kontext() -> Any:
    from diffusers import FlowMatchEulerDiscreteScheduler, FluxKontextPipeline, FluxTransformer2DModel
    from transformers import CLIPTextModel, T5Config, T5EncoderModel, T5TokenizerFast

    letters = [("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), ("▁", -2.0)]
    letters += [(letter, -3.0) for letter in string.printable if not letter.isspace()]
    transformer = FluxTransformer2DModel(
        patch_size=1,
        in_channels=16,
        num_layers=1,
        num_single_layers=1,
        attention_head_dim=16,
        num_attention_heads=2,
        joint_attention_dim=32,
        pooled_projection_dim=32,
        axes_dims_rope=(4, 4, 8),
        guidance_embeds=True,
    )
    t5 = T5Config(d_model=32, d_kv=8, d_ff=32, num_layers=2, num_heads=4, vocab_size=len(letters))
    return FluxKontextPipeline(
        scheduler=FlowMatchEulerDiscreteScheduler(use_dynamic_shifting=True),
        vae=autoencoder_kl(8, use_quant_conv=False, use_post_quant_conv=False, shift_factor=0.1),
        text_encoder=CLIPTextModel(_clip_text_config(32)),
        tokenizer=_clip_tokenizer(),
        text_encoder_2=T5EncoderModel(t5),
        tokenizer_2=T5TokenizerFast(vocab=letters, extra_ids=0),
        transformer=transformer,
    )


def flux2_klein() -> Any:
    from diffusers import (
        AutoencoderKLFlux2,
        FlowMatchEulerDiscreteScheduler,
        Flux2KleinPipeline,
        Flux2Transformer2DModel,
    )
    from transformers import Qwen3Config, Qwen3ForCausalLM

    tokenizer = _qwen_tokenizer()
    tokenizer.chat_template = "{% for message in messages %}{{ message['content'] }}{% endfor %}"
    text = Qwen3Config(
        vocab_size=len(tokenizer),
        hidden_size=16,
        intermediate_size=16,
        num_hidden_layers=27,
        num_attention_heads=2,
        num_key_value_heads=1,
        head_dim=8,
    )
    transformer = Flux2Transformer2DModel(
        patch_size=1,
        in_channels=16,
        num_layers=1,
        num_single_layers=1,
        attention_head_dim=16,
        num_attention_heads=2,
        joint_attention_dim=48,
        timestep_guidance_channels=32,
        axes_dims_rope=(4, 4, 4, 4),
        guidance_embeds=False,
    )
    vae = AutoencoderKLFlux2(
        block_out_channels=(8,) * 4,
        down_block_types=DOWN,
        up_block_types=UP,
        layers_per_block=1,
        latent_channels=4,
        norm_num_groups=8,
    )
    return Flux2KleinPipeline(
        scheduler=FlowMatchEulerDiscreteScheduler(),
        vae=vae,
        text_encoder=Qwen3ForCausalLM(text),
        tokenizer=tokenizer,
        transformer=transformer,
    )


def qwen_image_edit() -> Any:
    from diffusers import QwenImageEditPipeline

    return QwenImageEditPipeline(**_qwen_parts())


def qwen_image_edit_plus() -> Any:
    from diffusers import QwenImageEditPlusPipeline

    return QwenImageEditPlusPipeline(**_qwen_parts())


def without_torchvision() -> None:
    """Only its video processor needs torchvision, and no video is ever processed."""
    from transformers import Qwen2VLProcessor

    Qwen2VLProcessor.get_attributes = classmethod(lambda cls: ["image_processor", "tokenizer"])


def autoencoder_kl(width: int = 8, **options: Any) -> Any:
    from diffusers import AutoencoderKL

    return AutoencoderKL(
        latent_channels=4,
        block_out_channels=(width,) * 4,
        norm_num_groups=8,
        down_block_types=DOWN,
        up_block_types=UP,
        **options,
    )


def autoencoder_tiny() -> Any:
    from diffusers import AutoencoderTiny

    return AutoencoderTiny(
        encoder_block_out_channels=(8,) * 4,
        decoder_block_out_channels=(8,) * 4,
        num_encoder_blocks=(1,) * 4,
        num_decoder_blocks=(1,) * 4,
    )


def autoencoder_qwen() -> Any:
    from diffusers import AutoencoderKLQwenImage

    return AutoencoderKLQwenImage(
        base_dim=8,
        z_dim=4,
        dim_mult=[1] * 4,
        num_res_blocks=1,
        temperal_downsample=[False, True, True],
        latents_mean=[0.0] * 4,
        latents_std=[1.0] * 4,
    )


def _qwen_parts() -> dict[str, Any]:
    from diffusers import FlowMatchEulerDiscreteScheduler, QwenImageTransformer2DModel
    from transformers import Qwen2_5_VLConfig, Qwen2_5_VLForConditionalGeneration, Qwen2VLProcessor
    from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil

    without_torchvision()
    tokenizer = _qwen_tokenizer()
    special = dict(zip(QWEN_SPECIAL, tokenizer.convert_tokens_to_ids(QWEN_SPECIAL), strict=True))
    config = Qwen2_5_VLConfig(
        text_config={
            "vocab_size": len(tokenizer),
            "hidden_size": 16,
            "intermediate_size": 16,
            "num_hidden_layers": 2,
            "num_attention_heads": 2,
            "num_key_value_heads": 2,
            "rope_parameters": {"rope_type": "default", "mrope_section": [1, 1, 2], "rope_theta": 1e6},
        },
        vision_config={
            "depth": 2,
            "hidden_size": 16,
            "intermediate_size": 16,
            "num_heads": 2,
            "out_hidden_size": 16,
            "fullatt_block_indexes": [1],
        },
        image_token_id=special["<|image_pad|>"],
        video_token_id=special["<|video_pad|>"],
        vision_start_token_id=special["<|vision_start|>"],
        vision_end_token_id=special["<|vision_end|>"],
    )
    transformer = QwenImageTransformer2DModel(
        in_channels=16,
        out_channels=4,
        num_layers=2,
        attention_head_dim=16,
        num_attention_heads=2,
        joint_attention_dim=16,
        axes_dims_rope=(8, 4, 4),
    )
    pixels = Qwen2VLImageProcessorPil(size={"shortest_edge": 784, "longest_edge": 3136})
    return {
        "scheduler": FlowMatchEulerDiscreteScheduler(use_dynamic_shifting=True),
        "vae": autoencoder_qwen(),
        "text_encoder": Qwen2_5_VLForConditionalGeneration(config),
        "tokenizer": tokenizer,
        "processor": Qwen2VLProcessor(image_processor=pixels, tokenizer=tokenizer),
        "transformer": transformer,
    }


def _clip_text_config(width: int) -> Any:
    from transformers import CLIPTextConfig

    return CLIPTextConfig(
        vocab_size=2 + 2 * len(LETTERS),
        hidden_size=width,
        intermediate_size=width,
        projection_dim=width,
        num_hidden_layers=2,
        num_attention_heads=2,
        bos_token_id=0,
        eos_token_id=1,
        pad_token_id=1,
    )


def _clip_tokenizer() -> Any:
    from transformers import CLIPTokenizer

    words = ["<|startoftext|>", "<|endoftext|>", *LETTERS, *(letter + "</w>" for letter in LETTERS)]
    return CLIPTokenizer(vocab=_numbered(words), merges=[], model_max_length=77)


def _qwen_tokenizer() -> Any:
    from transformers import Qwen2Tokenizer

    tokenizer = Qwen2Tokenizer(vocab=_numbered([*LETTERS, "<|endoftext|>"]), merges=[])
    tokenizer.add_special_tokens({"additional_special_tokens": QWEN_SPECIAL})
    return tokenizer


def _numbered(words: list[str]) -> dict[str, int]:
    return {word: number for number, word in enumerate(words)}
