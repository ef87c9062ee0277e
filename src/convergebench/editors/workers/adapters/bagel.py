"""BAGEL, with its repository on the import path (`repo`) and its weights in a folder (`weights`).

Written from the repository's published demo; not run here against the real weights.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

VERSION = "1"


def load(parameters: dict[str, Any]) -> dict[str, Any]:
    import torch
    from accelerate import (  # type: ignore[import-untyped, import-not-found, unused-ignore]
        init_empty_weights,
        load_checkpoint_and_dispatch,
    )
    from data.data_utils import add_special_tokens  # type: ignore[import-not-found, unused-ignore]
    from data.transforms import ImageTransform  # type: ignore[import-not-found, unused-ignore]
    from inferencer import InterleaveInferencer  # type: ignore[import-not-found, unused-ignore]
    from modeling.autoencoder import load_ae  # type: ignore[import-not-found, unused-ignore]
    from modeling.bagel import (  # type: ignore[import-not-found, unused-ignore]
        Bagel,
        BagelConfig,
        Qwen2Config,
        Qwen2ForCausalLM,
        SiglipVisionConfig,
        SiglipVisionModel,
    )
    from modeling.qwen2 import Qwen2Tokenizer  # type: ignore[import-not-found, unused-ignore]

    weights = _folder(str(parameters["weights"]))
    language = Qwen2Config.from_json_file(str(weights / "llm_config.json"))
    language.qk_norm, language.tie_word_embeddings = True, False
    language.layer_module = "Qwen2MoTDecoderLayer"
    vision = SiglipVisionConfig.from_json_file(str(weights / "vit_config.json"))
    vision.rope = False
    vision.num_hidden_layers -= 1  # the checkpoint lacks the last layer
    autoencoder, autoencoder_config = load_ae(local_path=str(weights / "ae.safetensors"))
    config = BagelConfig(
        visual_gen=True, visual_und=True, llm_config=language, vit_config=vision,
        vae_config=autoencoder_config, vit_max_num_patch_per_side=70, connector_act="gelu_pytorch_tanh",
        latent_patch_size=2, max_latent_size=64,
    )  # fmt: skip
    with init_empty_weights():
        model = Bagel(Qwen2ForCausalLM(language), SiglipVisionModel(vision), config)
        model.vit_model.vision_model.embeddings.convert_conv2d_to_linear(vision, meta=True)
    device = f"cuda:{parameters['replica'] % max(1, torch.cuda.device_count())}"
    model = load_checkpoint_and_dispatch(
        model, str(weights / "ema.safetensors"), device_map={"": device}, dtype=torch.bfloat16
    ).eval()
    tokenizer, special, _ = add_special_tokens(Qwen2Tokenizer.from_pretrained(str(weights)))
    inferencer = InterleaveInferencer(
        model=model,
        vae_model=autoencoder.to(device),
        tokenizer=tokenizer,
        vae_transform=ImageTransform(1024, 512, 16),
        vit_transform=ImageTransform(980, 224, 14),
        new_token_ids=special,
    )
    return {"inferencer": inferencer, "parameters": parameters}


def edit(state: dict[str, Any], image_path: str, instruction: str, seed: int, output_path: str) -> None:
    import torch
    from PIL import Image

    parameters = state["parameters"]
    torch.manual_seed(seed)  # it takes no generator
    result = state["inferencer"](
        image=Image.open(image_path).convert("RGB"),
        text=instruction,
        think=False,
        num_timesteps=parameters["steps"],
        cfg_text_scale=parameters["guidance"],
        cfg_img_scale=parameters["image_guidance"],
        cfg_interval=[0.0, 1.0],
        cfg_renorm_type="text_channel",
        cfg_renorm_min=0.0,
        timestep_shift=3.0,
    )
    result["image"].save(output_path)


def _folder(weights: str) -> Path:
    if Path(weights).is_dir():
        return Path(weights)
    from huggingface_hub import snapshot_download

    return Path(snapshot_download(weights))
