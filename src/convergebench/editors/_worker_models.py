"""The models that run in a worker: their adapters and the parameters they are benchmarked with."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import ClassVar

from convergebench.editors.registry import Preset
from convergebench.types import Parameter


@dataclass(frozen=True)
class Interpreter:
    """The Python of the environment that a built-in adapter needs."""

    adapter: str
    parameter: ClassVar[str] = "python"
    comes_by_itself: ClassVar[bool] = False

    @property
    def variable(self) -> str:
        return f"CONVERGEBENCH_PYTHON_{re.sub(r'[^0-9A-Za-z]', '_', self.adapter).upper()}"

    def missing(self) -> str | None:
        if os.environ.get(self.variable):
            return None
        return (
            f"{self.adapter} runs in its own environment: add ?python=/path/to/env/bin/python "
            f"or set {self.variable} to that path"
        )


_STEP1X: dict[str, Parameter] = {"steps": 28, "repo": ""}

PRESETS = {
    "step1x-v1p1": Preset(
        "step1x_edit",
        0.0,
        {
            "weights": "stepfun-ai/Step1X-Edit-v1p1-diffusers",
            "pipeline": "Step1XEditPipeline",
            "guidance": 6.0,
            **_STEP1X,
        },
        "Step1X-Edit v1p1 in its own environment",
        (Interpreter("step1x_edit"),),
    ),
    "step1x-v1p2": Preset(
        "step1x_edit",
        0.0,
        {
            "weights": "stepfun-ai/Step1X-Edit-v1p2-preview",
            "pipeline": "Step1XEditPipelineV1P2",
            "guidance": 4.0,
            **_STEP1X,
        },
        "Step1X-Edit v1p2 preview in its own environment",
        (Interpreter("step1x_edit"),),
    ),
    "janus-4o": Preset(
        "janus",
        0.0,
        {
            "weights": "FreedomIntelligence/Janus-4o-7B",
            "temperature": 1.0,
            "guidance": 5.0,
            "image_guidance": 5.0,
            "repo": "",
        },
        "Janus-4o 7B in its own environment; 384 × 384 inside",
        (Interpreter("janus"),),
    ),
    "ovis-u1": Preset(
        "ovis_u1",
        0.0,
        {
            "weights": "AIDC-AI/Ovis-U1-3B",
            "steps": 50,
            "guidance": 6.0,
            "image_guidance": 1.5,
            "repo": "",
        },
        "Ovis-U1 3B in its own environment",
        (Interpreter("ovis_u1"),),
    ),
    "hidream-e1": Preset(
        "hidream_e1",
        0.0,
        {
            "weights": "HiDream-ai/HiDream-E1-1",
            "base": "HiDream-ai/HiDream-I1-Full",
            "llama": "meta-llama/Llama-3.1-8B-Instruct",
            "steps": 28,
            "guidance": 3.0,
            "image_guidance": 1.5,
            "refine": 0.3,
            "repo": "",
        },
        "HiDream-E1.1 in its own environment",
        (Interpreter("hidream_e1"),),
    ),
    "omnigen2": Preset(
        "omnigen2",
        0.0,
        {
            "weights": "OmniGen2/OmniGen2",
            "steps": 50,
            "guidance": 5.0,
            "image_guidance": 2.0,
            "side": 1024,
            "repo": "",
        },
        "OmniGen2 in its own environment",
        (Interpreter("omnigen2"),),
    ),
    "dreamomni2": Preset(
        "dreamomni2",
        0.0,
        {
            "weights": "xiabs/DreamOmni2",
            "base": "black-forest-labs/FLUX.1-Kontext-dev",
            "steps": 30,
            "guidance": 3.5,
            "repo": "",
        },
        "DreamOmni2 in its own environment",
        (Interpreter("dreamomni2"),),
    ),
    "bagel-local": Preset(
        "bagel",
        0.0,
        {
            "weights": "ByteDance-Seed/BAGEL-7B-MoT",
            "steps": 50,
            "guidance": 4.0,
            "image_guidance": 2.0,
            "repo": "",
        },
        "BAGEL 7B in its own environment",
        (Interpreter("bagel"),),
    ),
    "hunyuan-image-3-local": Preset(
        "hunyuan_image_3",
        0.0,
        {
            "weights": "tencent/HunyuanImage-3.0-Instruct",
            "steps": 50,
            "task": "image",
            "system_prompt": "",
            "moe": "eager",
            "repo": "",
        },
        "HunyuanImage-3.0 Instruct in its own environment, without rewriting the instruction",
        (Interpreter("hunyuan_image_3"),),
    ),
    "emu-3.5-local": Preset(
        "emu3_5",
        0.0,
        {
            "weights": "BAAI/Emu3.5-Image",
            "vision_tokenizer": "BAAI/Emu3.5-VisionTokenizer",
            "guidance": 3.0,
            "area": 1048576,
            "repo": "",
        },
        "Emu3.5-Image in its own environment; about one megapixel",
        (Interpreter("emu3_5"),),
    ),
    "uniworld-v1-local": Preset(
        "uniworld",
        0.0,
        {
            "weights": "LanguageBind/UniWorld-V1",
            "base": "black-forest-labs/FLUX.1-dev",
            "siglip": "google/siglip2-so400m-patch16-512",
            "steps": 28,
            "guidance": 3.5,
            "area": 1048576,
            "repo": "",
        },
        "UniWorld-V1 in its own environment; about one megapixel",
        (Interpreter("uniworld"),),
    ),
    "internvl-u-local": Preset(
        "internvl_u",
        0.0,
        {"weights": "OpenGVLab/InternVL-U", "repo": ""},
        "InternVL-U 4B in its own environment",
        (Interpreter("internvl_u"),),
    ),
}


def defaults_of(adapter: str) -> dict[str, Parameter]:
    """Parameters of the first preset that uses this adapter; none for a user's own adapter."""
    return next((dict(preset.parameters) for preset in PRESETS.values() if preset.model == adapter), {})
