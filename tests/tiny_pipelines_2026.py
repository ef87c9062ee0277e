"""Tiny versions of the editing pipelines that came to diffusers in 2026."""

from __future__ import annotations

import string
from typing import Any

from tiny_pipelines import (
    DOWN,
    QWEN_SPECIAL,
    UP,
    _clip_text_config,
    _clip_tokenizer,
    _qwen_parts,
    _qwen_tokenizer,
    autoencoder_kl,
    autoencoder_tiny,
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


def dream_lite() -> Any:
    from diffusers import DreamLitePipeline, DreamLiteUNetModel, FlowMatchEulerDiscreteScheduler

    parts = _qwen3_vl_parts()
    unet = DreamLiteUNetModel(
        block_out_channels=(8, 8, 8), layers_per_block=1, norm_num_groups=8, cross_attention_dim=16,
        attention_head_dim=8, addition_embed_type=None,
    )  # fmt: skip
    return DreamLitePipeline(
        text_encoder=parts["text_encoder"],
        tokenizer=parts["processor"].tokenizer,
        processor=parts["processor"],
        vae=autoencoder_tiny(),
        unet=unet,
        scheduler=FlowMatchEulerDiscreteScheduler(use_dynamic_shifting=True),
    )


def joy_image_edit_plus() -> Any:
    from diffusers import (
        FlowMatchEulerDiscreteScheduler,
        JoyImageEditPlusPipeline,
        JoyImageEditPlusTransformer3DModel,
    )

    parts = _qwen3_vl_parts()
    transformer = JoyImageEditPlusTransformer3DModel(
        in_channels=4, hidden_size=32, num_attention_heads=2, text_dim=16, num_layers=1,
        rope_dim_list=[4, 6, 6],
    )  # fmt: skip
    return JoyImageEditPlusPipeline(
        scheduler=FlowMatchEulerDiscreteScheduler(),
        vae=autoencoder_wan(),
        text_encoder=parts["text_encoder"],
        tokenizer=parts["processor"].tokenizer,
        transformer=transformer,
        processor=parts["processor"],
    )


def bria_fibo2() -> Any:
    from diffusers import (
        AutoencoderKLFlux2,
        BriaFibo2Pipeline,
        BriaFibo2Transformer2DModel,
        FlowMatchEulerDiscreteScheduler,
    )

    parts = _qwen3_vl_parts(layers=36)  # it reads the hidden states of layers up to 35
    transformer = BriaFibo2Transformer2DModel(
        in_channels=4, dim=32, n_layers=2, n_refiner_layers=1, n_heads=2, cap_feat_dim=48,
        injection_layer_ids=(0, 0, 1, 1, 1), perceiver_num_layers=1, min_num_gist_tokens=4,
        max_num_gist_tokens=8, gist_step=4, axes_dims=(4, 6, 6),
    )  # fmt: skip
    vae = AutoencoderKLFlux2(
        block_out_channels=(8,) * 4, down_block_types=DOWN, up_block_types=UP, layers_per_block=1,
        latent_channels=4, norm_num_groups=8,
    )  # fmt: skip
    return BriaFibo2Pipeline(
        transformer=transformer,
        scheduler=FlowMatchEulerDiscreteScheduler(use_dynamic_shifting=True),
        vae=vae,
        text_encoder=parts["text_encoder"],
        processor=parts["processor"],
    )


def z_image_omni() -> Any:
    from diffusers import FlowMatchEulerDiscreteScheduler, ZImageOmniPipeline, ZImageTransformer2DModel
    from transformers import Qwen3Config, Qwen3Model, Siglip2VisionConfig, Siglip2VisionModel
    from transformers.models.siglip2.image_processing_pil_siglip2 import Siglip2ImageProcessorPil

    tokenizer = _qwen_tokenizer()
    text = Qwen3Config(
        vocab_size=len(tokenizer), hidden_size=16, intermediate_size=16, num_hidden_layers=2,
        num_attention_heads=2, num_key_value_heads=1, head_dim=8,
    )  # fmt: skip
    vision = Siglip2VisionConfig(
        hidden_size=16, intermediate_size=16, num_hidden_layers=1, num_attention_heads=2, num_patches=16,
        patch_size=16,
    )  # fmt: skip
    transformer = ZImageTransformer2DModel(
        in_channels=4, dim=32, n_layers=1, n_refiner_layers=1, n_heads=2, n_kv_heads=2, cap_feat_dim=16,
        siglip_feat_dim=16, axes_dims=[4, 6, 6], axes_lens=[256, 64, 64],
    )  # fmt: skip
    return ZImageOmniPipeline(
        scheduler=FlowMatchEulerDiscreteScheduler(use_dynamic_shifting=True),
        vae=autoencoder_kl(8, shift_factor=0.1),
        text_encoder=Qwen3Model(text),
        tokenizer=tokenizer,
        transformer=transformer,
        siglip=Siglip2VisionModel(vision),
        siglip_processor=Siglip2ImageProcessorPil(max_num_patches=16),
    )


def _qwen3_vl_parts(layers: int = 2) -> dict[str, Any]:
    from transformers import Qwen3VLConfig, Qwen3VLForConditionalGeneration, Qwen3VLProcessor
    from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil

    # Only its video processor needs torchvision, and no video is ever processed.
    Qwen3VLProcessor.get_attributes = classmethod(lambda cls: ["image_processor", "tokenizer"])
    tokenizer = _qwen_tokenizer()
    special = dict(zip(QWEN_SPECIAL, tokenizer.convert_tokens_to_ids(QWEN_SPECIAL), strict=True))
    config = Qwen3VLConfig(
        text_config={
            "vocab_size": len(tokenizer), "hidden_size": 16, "intermediate_size": 16,
            "num_hidden_layers": layers, "num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 8,
            "rope_parameters": {"rope_type": "default", "mrope_section": [2, 1, 1], "rope_theta": 1e6},
        },
        vision_config={
            "depth": 2, "hidden_size": 16, "intermediate_size": 16, "num_heads": 2, "out_hidden_size": 16,
            "deepstack_visual_indexes": [0], "num_position_embeddings": 16,
        },
        image_token_id=special["<|image_pad|>"],
        video_token_id=special["<|video_pad|>"],
        vision_start_token_id=special["<|vision_start|>"],
        vision_end_token_id=special["<|vision_end|>"],
    )  # fmt: skip
    pixels = Qwen2VLImageProcessorPil(size={"shortest_edge": 1024, "longest_edge": 4096}, patch_size=16)
    return {
        "text_encoder": Qwen3VLForConditionalGeneration(config),
        "processor": Qwen3VLProcessor(image_processor=pixels, tokenizer=tokenizer),
    }
