"""Tiny versions of the editing pipelines that came to diffusers in 2026."""

from __future__ import annotations

import string
from typing import Any

from tiny_pipelines import (
    _clip_text_config,
    _clip_tokenizer,
    _qwen_parts,
    _qwen_tokenizer,
    autoencoder_kl,
    flux2_klein,
)


def flux2_klein_kv() -> Any:
    from diffusers import Flux2KleinKVPipeline

    return Flux2KleinKVPipeline(**flux2_klein().components)


def bria_fibo_edit() -> Any:
    from diffusers import BriaFiboEditPipeline, BriaFiboTransformer2DModel, FlowMatchEulerDiscreteScheduler
    from transformers import SmolLM3Config, SmolLM3ForCausalLM

    tokenizer = _qwen_tokenizer()
    text = SmolLM3Config(
        vocab_size=128_256, hidden_size=16, intermediate_size=16, num_hidden_layers=2,
        num_attention_heads=2, num_key_value_heads=1, pad_token_id=0, bos_token_id=0, eos_token_id=0,
    )  # fmt: skip
    transformer = BriaFiboTransformer2DModel(
        patch_size=1, in_channels=4, num_layers=1, num_single_layers=1, attention_head_dim=16,
        num_attention_heads=2, joint_attention_dim=32, text_encoder_dim=16, axes_dims_rope=[4, 4, 8],
    )  # fmt: skip
    return BriaFiboEditPipeline(
        transformer=transformer,
        scheduler=FlowMatchEulerDiscreteScheduler(use_dynamic_shifting=True),
        vae=autoencoder_wan(patch_size=2, in_channels=12, out_channels=12, scale_factor_spatial=16),
        text_encoder=SmolLM3ForCausalLM(text),
        tokenizer=tokenizer,
    )


def autoencoder_wan(**options: Any) -> Any:
    from diffusers import AutoencoderKLWan

    return AutoencoderKLWan(
        base_dim=8, z_dim=4, dim_mult=[1] * 4, num_res_blocks=1, temperal_downsample=[False, True, True],
        latents_mean=[0.0] * 4, latents_std=[1.0] * 4, **options,
    )  # fmt: skip


def chrono_edit() -> Any:
    from diffusers import ChronoEditPipeline, ChronoEditTransformer3DModel, FlowMatchEulerDiscreteScheduler
    from transformers import (
        CLIPImageProcessor,
        CLIPVisionConfig,
        CLIPVisionModel,
        T5TokenizerFast,
        UMT5Config,
        UMT5EncoderModel,
    )

    letters = [("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), ("▁", -2.0)]
    letters += [(letter, -3.0) for letter in string.printable if not letter.isspace()]
    t5 = UMT5Config(d_model=32, d_kv=8, d_ff=32, num_layers=2, num_heads=4, vocab_size=len(letters))
    vision = CLIPVisionConfig(
        hidden_size=16, intermediate_size=16, num_hidden_layers=2, num_attention_heads=2, image_size=32,
        patch_size=16, projection_dim=16,
    )  # fmt: skip
    transformer = ChronoEditTransformer3DModel(
        num_attention_heads=2, attention_head_dim=12, in_channels=12, out_channels=4, text_dim=32,
        freq_dim=16, ffn_dim=16, num_layers=1, image_dim=16, added_kv_proj_dim=24,
    )  # fmt: skip
    return ChronoEditPipeline(
        tokenizer=T5TokenizerFast(vocab=letters, extra_ids=0),
        text_encoder=UMT5EncoderModel(t5),
        image_encoder=CLIPVisionModel(vision),
        image_processor=CLIPImageProcessor(size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32}),
        transformer=transformer,
        vae=autoencoder_wan(),
        scheduler=FlowMatchEulerDiscreteScheduler(),
    )


def kandinsky5_i2i() -> Any:
    from diffusers import FlowMatchEulerDiscreteScheduler, Kandinsky5I2IPipeline, Kandinsky5Transformer3DModel
    from transformers import CLIPTextModel

    parts = _qwen_parts()
    transformer = Kandinsky5Transformer3DModel(
        in_visual_dim=4, in_text_dim=16, in_text_dim2=16, time_dim=16, out_visual_dim=4, model_dim=32,
        ff_dim=32, num_text_blocks=1, num_visual_blocks=1, axes_dims=(4, 4, 8), visual_cond=True,
    )  # fmt: skip
    return Kandinsky5I2IPipeline(
        transformer=transformer,
        vae=autoencoder_kl(8),
        text_encoder=parts["text_encoder"],
        tokenizer=parts["processor"],
        text_encoder_2=CLIPTextModel(_clip_text_config(16)),
        tokenizer_2=_clip_tokenizer(),
        scheduler=FlowMatchEulerDiscreteScheduler(),
    )
