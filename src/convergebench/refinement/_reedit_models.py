"""RE-Edit's eleven editors under their names in this package."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from convergebench.errors import WrongUse


@dataclass(frozen=True)
class Counterpart:
    """An editor of this package. An editor that runs in a worker takes its weights as a parameter, others as
    their name."""

    preset: str
    hub_id: str
    adapter: str = ""
    """Name of the worker that runs it."""


COUNTERPARTS: Mapping[str, Counterpart] = {
    "multi_gpu_qwen_edit": Counterpart("qwen-image-edit-local", "Qwen/Qwen-Image-Edit"),
    "qwen_image_edit_2511": Counterpart("qwen-image-edit-2511-local", "Qwen/Qwen-Image-Edit-2511"),
    "flux_kontext": Counterpart("flux-kontext-local", "black-forest-labs/FLUX.1-Kontext-dev"),
    "flux2_dev": Counterpart("flux2-dev-local", "black-forest-labs/FLUX.2-dev"),
    "step1x_edit_v1p1": Counterpart("step1x-v1p1", "stepfun-ai/Step1X-Edit-v1p1-diffusers", "step1x_edit"),
    "step1x_edit_v1p2_preview": Counterpart(
        "step1x-v1p2", "stepfun-ai/Step1X-Edit-v1p2-preview", "step1x_edit"
    ),
    "janus": Counterpart("janus-4o", "FreedomIntelligence/Janus-4o-7B", "janus"),
    "ovis_u1": Counterpart("ovis-u1", "AIDC-AI/Ovis-U1-3B", "ovis_u1"),
    "hidream_e1": Counterpart("hidream-e1", "HiDream-ai/HiDream-E1-1", "hidream_e1"),
    "omnigen2": Counterpart("omnigen2", "OmniGen2/OmniGen2", "omnigen2"),
    "dreamomni2": Counterpart("dreamomni2", "xiabs/DreamOmni2", "dreamomni2"),
}
_COMPONENTS = {
    "llama_path": "meta-llama/Llama-3.1-8B-Instruct",
    "hidream_i1_path": "HiDream-ai/HiDream-I1-Full",
    "vlm_path": "xiabs/DreamOmni2/vlm-model",
    "base_model_path": "black-forest-labs/FLUX.1-Kontext-dev",
    "edit_lora_path": "xiabs/DreamOmni2/edit_lora",
}
"""Weights beside the model's own that the workers load."""
_STEPS = ("num_inference_steps", "steps")
_GUIDANCE = ("true_cfg_scale", "guidance_scale", "text_guidance_scale", "txt_cfg", "cfg_weight", "guidance")
_OFFLOADS = ("enable_model_cpu_offload", "enable_cpu_offload", "use_cpu_offload", "cpu_offload")
_WEIGHTS = ("model_name", "model_path", "hidream_e1_path")
_MEANINGLESS = ("enable_batch_sync", "disable_progress_bar", "num_images_per_prompt", "parallel_size")
"""Parameters that change no picture."""
_AS_HERE: Mapping[str, Any] = {
    "negative_prompt": " ", "cfg_weight2": 5.0, "temperature": 1.0, "enable_thinking_mode": False,
    "enable_reflection_mode": False, "enable_teacache": False, "enable_taylorseer": False,
    "transformer_path": None, "transformer_lora_path": None, "clip_cfg_norm": True, "refine_strength": 0.3,
    "height": 1024, "width": 1024, "scheduler": "euler", "teacache_rel_l1_thresh": 0.05,
}  # fmt: skip
"""Parameters with the value that the editor has here; another value would be another model."""
_IMAGE_GUIDANCE = ("image_guidance_scale", "img_guidance_scale", "img_cfg")


@dataclass(frozen=True)
class Editing:
    """An editor's name in this package, its seed, and the settings that the name cannot express."""

    name: str
    seed: int | None
    notes: tuple[str, ...]


def editing(section: Mapping[str, Any], where: str) -> Editing:
    """The editor from one section of a configuration."""
    kind, params = section.get("type"), dict(section.get("params") or {})
    if kind not in COUNTERPARTS:
        known = ", ".join(COUNTERPARTS)
        raise WrongUse(f"{where}.type is {kind!r}, which RE-Edit does not have; correct it to one of {known}")
    own = COUNTERPARTS[str(kind)]
    notes: list[str] = []
    settings = dict(_settings(own, params, where, notes))
    seed = params.pop("seed", None)
    _check_rest(params, where, notes)
    base, weights = own.preset, str(settings.pop("model_name", "") or own.hub_id)
    if weights != own.hub_id and not own.adapter:
        base = f"diffusers:{weights}"
    elif weights != own.hub_id:
        settings["weights"] = weights
    query = "&".join(f"{key}={value}" for key, value in settings.items())
    return Editing(f"{base}?{query}" if query else base, seed, tuple(notes))


def _check_rest(params: dict[str, Any], where: str, notes: list[str]) -> None:
    """What a name cannot express must be as it is here: never silently another model."""
    for key, value in params.items():
        if key in _MEANINGLESS:
            continue
        if key in _AS_HERE and value == _AS_HERE[key]:
            continue
        if key in _AS_HERE or key.endswith("_path"):
            raise WrongUse(
                f"{where}.params.{key} is {value!r}, which cannot be set here; remove it if you want the "
                "model as it is here"
            )
        notes.append(f"{where}.params.{key} has no counterpart and is ignored")


def _settings(
    own: Counterpart, params: dict[str, Any], where: str, notes: list[str]
) -> Iterator[tuple[str, Any]]:
    """Removes the parameters that a name can express."""
    for ours, theirs in (("steps", _STEPS), ("guidance", _GUIDANCE), ("image_guidance", _IMAGE_GUIDANCE)):
        given = [params.pop(name) for name in theirs if name in params]
        if len(given) > 1:
            notes.append(f"{where}.params names {ours} {len(given)} times; the first, {given[0]}, is used")
        if given and given[0] is not None:
            yield ours, given[0]
    weights = [value for name in _WEIGHTS if (value := params.pop(name, None))]
    if weights:
        yield "model_name", weights[0]
    devices = params.pop("device_ids", None)
    if devices and not own.adapter:
        yield "devices", ",".join(f"cuda:{number}" for number in devices)
    elif devices:
        chosen = ",".join(map(str, devices))
        notes.append(f"{where}: a worker takes the GPUs that it sees; set CUDA_VISIBLE_DEVICES={chosen}")
    if not own.adapter:
        yield from _of_diffusers(params)
    else:
        for name, known in _COMPONENTS.items():
            if params.get(name) == known:
                del params[name]
        for name in [name for name in params if name.endswith("_repo")]:
            folder = params.pop(name)
            notes.append(f"{where}: add {folder} ({name}) to the worker's PYTHONPATH")
        if str(params.get("dtype", "bfloat16")).removeprefix("torch.") in ("bfloat16", "bf16"):
            params.pop("dtype", None)
        environment = params.pop("conda_env", None) or params.pop("conda_env_path", None)
        variable = f"CONVERGEBENCH_PYTHON_{own.adapter.upper()}"
        of = f", of the environment {environment}" if environment else ""
        notes.append(f"{where}: {own.preset} runs with its own Python{of}; set {variable} to its path")


def _of_diffusers(params: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for name in ("dtype", "torch_dtype"):
        if name in params:
            yield "dtype", str(params.pop(name)).removeprefix("torch.")
    if "max_sequence_length" in params:
        yield "max_sequence_length", params.pop("max_sequence_length")
    offloads = [params.pop(name) for name in _OFFLOADS if name in params]
    if any(offloads):
        yield "offload", "model"
