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
_STEPS = ("num_inference_steps", "steps")
_GUIDANCE = ("true_cfg_scale", "guidance_scale", "text_guidance_scale", "txt_cfg", "cfg_weight", "guidance")
_OFFLOADS = ("enable_model_cpu_offload", "enable_cpu_offload", "cpu_offload")
_IMAGE_GUIDANCE = ("image_guidance_scale", "img_cfg")


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
    notes += [f"{where}.params.{key} has no counterpart and is ignored" for key in params]
    base, weights = own.preset, str(settings.pop("model_name", "") or own.hub_id)
    if weights != own.hub_id and not own.adapter:
        base = f"diffusers:{weights}"
    elif weights != own.hub_id:
        settings["weights"] = weights
    query = "&".join(f"{key}={value}" for key, value in settings.items())
    return Editing(f"{base}?{query}" if query else base, seed, tuple(notes))


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
    if "model_name" in params:
        yield "model_name", params.pop("model_name")
    devices = params.pop("device_ids", None)
    if devices and not own.adapter:
        yield "devices", ",".join(f"cuda:{number}" for number in devices)
    elif devices:
        chosen = ",".join(map(str, devices))
        notes.append(f"{where}: a worker takes the GPUs that it sees; set CUDA_VISIBLE_DEVICES={chosen}")
    if not own.adapter:
        yield from _of_diffusers(params)
    else:
        environment = params.pop("conda_env", None) or params.pop("conda_env_path", None)
        variable = f"CONVERGEBENCH_PYTHON_{own.adapter.upper()}"
        of = f", of the environment {environment}" if environment else ""
        notes.append(f"{where}: {own.preset} runs with a Python of its own{of}; set {variable} to its path")


def _of_diffusers(params: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for name in ("dtype", "torch_dtype"):
        if name in params:
            yield "dtype", str(params.pop(name)).removeprefix("torch.")
    if "max_sequence_length" in params:
        yield "max_sequence_length", params.pop("max_sequence_length")
    offloads = [params.pop(name) for name in _OFFLOADS if name in params]
    if any(offloads):
        yield "offload", "model"
