"""Translates RE-Edit's own configuration. Settings without a counterpart are reported."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from convergebench.errors import WrongUse
from convergebench.refinement._reedit_models import editing
from convergebench.settings_file import read_yaml

_DATA = ("data_path", "json_path", "benchmark_path", "dataset_path", "path", "file")
_CATEGORIES = ("categories", "subsets", "category", "subset")
_LIMIT = ("max_samples", "num_samples", "limit")
_JUDGES = {
    "qwen3_vl_vllm_subprocess": "vllm",
    "qwen3_vl_multi_gpu_subprocess": "vllm",
    "qwen3_vl": "vllm",
    "qwen25_vl": "local",
}
"""The kinds of judges that RE-Edit has, and who serves them here."""
_GRADES = {
    "sc": "enable_sc_metric",
    "if": "enable_instruction_following_metric",
    "pq": "enable_pq_metric",
}


@dataclass(frozen=True)
class ConvertedConfig:
    settings: Mapping[str, Any]
    """Keys and values of a refinement file."""
    notes: tuple[str, ...]

    def as_yaml(self) -> str:
        """JSON values are valid YAML and stay on one line."""
        lines = [f"# {note}" for note in self.notes]
        lines += [f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in self.settings.items()]
        return "\n".join(lines) + "\n"

    def moved(self, source: Path, target: Path) -> ConvertedConfig:
        """The same for a file in another folder: relative paths lead to the same places."""
        settings = dict(self.settings)
        for key in ("data", "prompts", "workspace", "output_dir"):
            value = settings.get(key)
            if isinstance(value, str) and not Path(value).expanduser().is_absolute():
                settings[key] = os.path.relpath(source / value, target)
        return ConvertedConfig(settings, self.notes)


def convert_config(file: Path) -> ConvertedConfig:
    """Read config_iterative_refinement.yaml, or config_editrefine_inference.yaml, which names the former."""
    content = read_yaml(file)
    holder = file
    alone = dict(content.pop("editrefine", None) or {})
    if "base_config" in content:
        holder = file.parent / str(content.pop("base_config"))
        content = {**read_yaml(holder), **content}
    translation = _Translation(content, holder.name)
    translation.run()
    if alone.get("output_dir"):
        translation.settings["output_dir"] = alone.pop("output_dir")
    if not alone.get("output_name_prefix", True):
        del alone["output_name_prefix"]
    elif alone.get("output_name_prefix"):
        translation.settings["output_prefix"] = alone.pop("output_name_prefix")
    translation.leave_out("editrefine", alone)
    return ConvertedConfig(translation.settings, tuple(translation.notes))


class _Translation:
    """Understood settings are removed from the sections; the rest is noted at the end."""

    def __init__(self, content: Mapping[str, Any], file: str) -> None:
        """`file` holds the prompts; it lies beside the file that is written."""
        self.settings: dict[str, Any] = {}
        self.notes: list[str] = ["Relative paths are relative to the folder of this file."]
        self._sections = dict(content)
        self._file = file
        self._has_reasoner_prompts = False

    def run(self) -> None:
        evaluation = self._taken("evaluation")
        refines = not evaluation.pop("skip_refinement", False)
        self._data(self._taken("data") or self._taken("benchmark"))
        self._editors(self._taken("diffusion_model"), evaluation, refines)
        self._reasoner(self._taken("mllm"), evaluation, refines)
        self._judge(self._taken("reward_model"), evaluation)
        self._prompts()
        self._outputs(evaluation)
        self._sections.pop("log_level", None)
        self.leave_out("evaluation", evaluation)
        for name in self._sections:  # settings that were not understood
            self.notes.append(f"{name} has no counterpart and is ignored")

    def _prompts(self) -> None:
        """Prompts stay in RE-Edit's own file, which is read when they are needed."""
        if self._taken("prompts") or self._has_reasoner_prompts:
            self.settings["prompts"] = self._file
            self.notes.append(
                f"the wording of reasoner and judge is read from {self._file}; keep it beside this file"
            )

    def _taken(self, name: str) -> dict[str, Any]:
        return _section(name, self._sections.pop(name, None))

    def leave_out(self, where: str, rest: Mapping[str, Any]) -> None:
        self.notes += [f"{where}.{key} has no counterpart and is ignored" for key in rest]

    def _data(self, data: dict[str, Any]) -> None:
        self.settings["suite"] = "reedit"
        for ours, theirs in (("data", _DATA), ("categories", _CATEGORIES), ("limit", _LIMIT)):
            given = _first(data, theirs)
            if given is not None:
                self.settings[ours] = given
        if "data" not in self.settings:
            self.notes.append("the path of RE-Edit.json is missing; add data")
        if data.get("seed") is not None:
            self.settings["sampling_seed"] = data.pop("seed")
        self.leave_out("data", data)

    def _editors(self, section: dict[str, Any], evaluation: dict[str, Any], refines: bool) -> None:
        folder, suffix = (evaluation.pop(key, None) for key in ("primary_images_dir", "primary_image_suffix"))
        original = evaluation.pop("use_original_as_primary", False)
        primary, again = section.pop("primary", None), section.pop("refinement", None)
        if original:
            self.settings["models"] = ["identity"]
        elif folder:
            self.settings["models"] = [f"folder:{folder}?suffix={suffix or '_primary.png'}"]
        elif primary:
            self._editor("models", _section("diffusion_model.primary", primary))
        else:
            raise WrongUse("diffusion_model.primary is missing; add the model to test")
        if refines and again:
            self._editor("executor", _section("diffusion_model.refinement", again))
        self.leave_out("diffusion_model", section)

    def _editor(self, ours: str, section: dict[str, Any]) -> None:
        where = "diffusion_model.primary" if ours == "models" else "diffusion_model.refinement"
        found = editing(section, where)
        self.settings[ours] = [found.name] if ours == "models" else found.name
        self.notes += found.notes
        if found.seed is not None and str(self.settings["models"][0]).startswith("folder:"):
            self.notes.append(f"{where}.params.seed is ignored: pictures in a folder have seed 0")
        elif found.seed is not None and self.settings.setdefault("seed", found.seed) != found.seed:
            self.notes.append(f"{where}.params.seed is ignored: seed {self.settings['seed']} applies to all")

    def _reasoner(self, section: dict[str, Any], evaluation: dict[str, Any], refines: bool) -> None:
        chained = evaluation.pop("enable_iterative_refinement", False)
        if not refines:
            self.settings["rounds"] = 0
            return
        params = _section("mllm.params", section.get("params"))
        if str(section.get("type", "qwen25_vl")) != "qwen25_vl":
            raise WrongUse(f"mllm.type is {section['type']!r}, which RE-Edit does not have; it has qwen25_vl")
        self._has_reasoner_prompts = bool(params.pop("prompts", None))
        self.settings["rounds"], self.settings["chained"] = 1, bool(chained)
        name = params.pop("model_name", None)
        if not name:
            self.notes.append("the reasoner is missing; add reasoner")
            return
        self.settings["reasoner"] = f"local:{name}"
        self._limits("reasoner", params)
        for key, usual in (("device", "auto"), ("dtype", "bfloat16")):
            value = str(params.pop(key, usual))
            if value != "auto":
                self.settings["reasoner_settings"][key] = value
        if params.pop("use_flash_attention", False):
            self.notes.append(
                "mllm.params.use_flash_attention: the attention of transformers is used instead"
            )
        self.leave_out("mllm.params", params)

    def _judge(self, section: dict[str, Any], evaluation: dict[str, Any]) -> None:
        params = _section("reward_model.params", section.get("params"))
        # Upstream's defaults: what a file does not switch on is off.
        grades = ["category", *(name for name, key in _GRADES.items() if evaluation.pop(key, False))]
        primary, skip = evaluation.pop("enable_primary_scoring", False), evaluation.pop("skip_stage4", False)
        if skip or not params.get("model_name"):
            if not skip:
                self.notes.append("the judge is missing; add judge")
            return
        kind = str(section.get("type"))
        if kind not in _JUDGES:
            raise WrongUse(
                f"reward_model.type is {kind!r}, which RE-Edit does not have; use {', '.join(_JUDGES)}"
            )
        self.settings["judge"] = f"{_JUDGES[kind]}:{params.pop('model_name')}"
        self._limits("judge", params)
        if "vllm" not in kind and _JUDGES[kind] == "vllm":
            self.notes.append(f"reward_model: {kind} runs the model without a server; here vllm serves it")
        devices = params.pop("device_ids", None)
        if devices:
            params.setdefault("tensor_parallel_size", _divisor(len(devices)))
            chosen = ",".join(map(str, devices))
            self.notes.append(
                f"reward_model: vllm takes the GPUs that it sees; set CUDA_VISIBLE_DEVICES={chosen}"
            )
        for key in ("tensor_parallel_size", "gpu_memory_utilization", "max_model_len", "dtype"):
            if key in params and _JUDGES[kind] == "vllm":
                self.settings["judge_settings"][key] = params.pop(key)
        if params.pop("conda_env", None):
            self.notes.append("reward_model: vllm is started from the PATH; activate its environment first")
        self.settings |= {"grades": grades, "judge_primary": bool(primary)}
        self.leave_out("reward_model.params", params)

    def _limits(self, ours: str, params: dict[str, Any]) -> None:
        tokens = _first(params, ("max_new_tokens", "max_tokens"))
        self.settings[f"{ours}_settings"] = {} if tokens is None else {"max_tokens": tokens}
        if params.get("temperature") is not None:
            self.settings[f"{ours}_settings"]["temperature"] = params.pop("temperature")
        batch = params.pop("batch_size", None)
        if batch is not None:
            self.settings[f"{ours}_workers"] = batch

    def _outputs(self, evaluation: dict[str, Any]) -> None:
        folder = evaluation.pop("output_dir", None) or "results_iterative"
        self.settings["workspace"] = f"{folder}/workspace"
        if evaluation.pop("save_images", True):
            self.settings["output_dir"] = folder
        else:
            self.notes.append("evaluation.save_images: ignored, since the workspace saves all pictures")


def _divisor(devices: int) -> int:
    """The largest power of two, as the number of attention heads must be a multiple of it."""
    return 1 << (devices.bit_length() - 1)


def _section(where: str, value: Any) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise WrongUse(f"{where} must hold keys and values, not {value!r}; correct it")
    return dict(value)


def _first(section: dict[str, Any], names: tuple[str, ...]) -> Any:
    given = [section.pop(name) for name in names if name in section]
    return next((one for one in given if one is not None), None)
