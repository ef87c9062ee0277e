"""RE-Edit's configuration, in the form in which its users have it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from convergebench.editors import parse
from convergebench.errors import WrongUse
from convergebench.refinement.convert_config import ConvertedConfig, convert_config
from convergebench.refinement.settings import refinement_settings

THEIRS: dict[str, Any] = {
    "data": {"data_path": "RE-Edit.json"},
    "evaluation": {
        "output_dir": "./results_iterative",
        "save_images": True,
        "primary_images_dir": None,
        "primary_image_suffix": "_primary.png",
        "skip_stage4": False,
        "skip_refinement": False,
        "enable_sc_metric": True,
        "enable_instruction_following_metric": True,
        "enable_pq_metric": True,
        "enable_primary_scoring": True,
    },
    "diffusion_model": {
        "primary": {
            "type": "flux_kontext",
            "params": {"model_name": "black-forest-labs/FLUX.1-Kontext-dev", "device_ids": [0, 1], "seed": 42,
                       "num_inference_steps": 28},
        },
        "refinement": {
            "type": "multi_gpu_qwen_edit",
            "params": {"model_name": "/weights/qwen-edit", "seed": 42, "num_inference_steps": 1},
        },
    },
    "mllm": {
        "type": "qwen25_vl",
        "params": {"model_name": "/weights/editrefine", "device": "auto", "batch_size": 16,
                   "max_new_tokens": 512},
    },
    "reward_model": {
        "type": "qwen3_vl_vllm_subprocess",
        "params": {"model_name": "/weights/Qwen3-VL-30B", "tensor_parallel_size": 4, "batch_size": 8,
                   "conda_env": "vllm", "timeout": 1200},
    },
}  # fmt: skip
TYPES = (
    "multi_gpu_qwen_edit", "qwen_image_edit_2511", "step1x_edit_v1p1", "step1x_edit_v1p2_preview",
    "flux_kontext", "flux2_dev", "janus", "ovis_u1", "hidream_e1", "omnigen2", "dreamomni2",
)  # fmt: skip


def translated(folder: Path, **evaluation: Any) -> ConvertedConfig:
    theirs = {**THEIRS, "evaluation": {**THEIRS["evaluation"], **evaluation}}
    (folder / "config.yaml").write_text(yaml.safe_dump(theirs))
    return convert_config(folder / "config.yaml")


def test_every_section_has_its_counterpart(tmp_path: Path) -> None:
    found = translated(tmp_path)
    assert found.settings == {
        "suite": "reedit", "data": "RE-Edit.json", "seed": 42,
        "models": ["flux-kontext-local?steps=28&devices=cuda:0,cuda:1"],
        "executor": "diffusers:/weights/qwen-edit?steps=1",
        "rounds": 1, "chained": False,
        "reasoner": "local:/weights/editrefine",
        "reasoner_settings": {"max_tokens": 512, "dtype": "bfloat16"},
        "reasoner_workers": 16,
        "judge": "vllm:/weights/Qwen3-VL-30B", "judge_settings": {"tensor_parallel_size": 4},
        "judge_workers": 8, "grades": ["category", "sc", "if", "pq"], "judge_primary": True,
        "workspace": "./results_iterative/workspace", "output_dir": "./results_iterative",
    }  # fmt: skip
    assert refinement_settings(found.settings).models == tuple(found.settings["models"])


def test_what_it_writes_is_a_refinement_file_with_its_notes_as_comments(tmp_path: Path) -> None:
    found = translated(tmp_path, log_level="info")
    text = found.as_yaml()
    assert yaml.safe_load(text) == found.settings
    assert "# evaluation.log_level has no counterpart and is ignored\n" in text
    assert "# reward_model.params.timeout has no counterpart and is ignored\n" in text


@pytest.mark.parametrize("kind", TYPES)
def test_each_of_the_eleven_editors_is_known_here(tmp_path: Path, kind: str) -> None:
    primary = {"type": kind, "params": {"num_inference_steps": 7, "guidance_scale": 2.5}}
    theirs = {**THEIRS, "diffusion_model": {"primary": primary}}
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(theirs))
    (name,) = convert_config(tmp_path / "config.yaml").settings["models"]
    _, parameters = parse(name)
    assert parameters["guidance"] == 2.5
    assert parameters["steps"] == 7


@pytest.mark.parametrize(
    ("switch", "wanted"),
    [
        ({"skip_refinement": True}, {"rounds": 0}),
        ({"enable_iterative_refinement": True}, {"rounds": 1, "chained": True}),
        ({"use_original_as_primary": True}, {"models": ["identity"]}),
        ({"primary_images_dir": "made"}, {"models": ["folder:made?suffix=_primary.png"]}),
        ({"enable_sc_metric": False}, {"grades": ["category", "if", "pq"]}),
        ({"enable_instruction_following_metric": False}, {"grades": ["category", "sc", "pq"]}),
        ({"enable_pq_metric": False}, {"grades": ["category", "sc", "if"]}),
        ({"enable_primary_scoring": False}, {"judge_primary": False}),
    ],
)
def test_every_switch_of_the_evaluation_is_translated(
    tmp_path: Path, switch: dict[str, Any], wanted: dict[str, Any]
) -> None:
    found = translated(tmp_path, **switch)
    assert {key: found.settings[key] for key in wanted} == wanted
    assert not any(key in note for key in switch for note in found.notes)


def test_a_skipped_stage_leaves_out_who_would_have_done_it(tmp_path: Path) -> None:
    assert "judge" not in translated(tmp_path, skip_stage4=True).settings
    assert {"reasoner", "executor"}.isdisjoint(translated(tmp_path, skip_refinement=True).settings)


def test_the_file_for_one_picture_names_the_other_and_is_read_with_it(tmp_path: Path) -> None:
    translated(tmp_path)
    (tmp_path / "one.yaml").write_text(
        "base_config: config.yaml\neditrefine: {output_dir: mine, device: x}\n"
    )
    found = convert_config(tmp_path / "one.yaml")
    assert found.settings["output_dir"] == "mine"
    assert found.settings["reasoner"] == "local:/weights/editrefine"
    assert "editrefine.device has no counterpart and is ignored" in found.notes


def test_an_unknown_editor_is_an_error_that_names_the_known_ones(tmp_path: Path) -> None:
    theirs = {**THEIRS, "diffusion_model": {"primary": {"type": "sdxl"}}}
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(theirs))
    with pytest.raises(WrongUse, match="'sdxl', which RE-Edit does not have; correct it to one of multi_gpu"):
        convert_config(tmp_path / "config.yaml")


SHIPPED = """
data:
  path: "RE-Edit.json"
  categories: ["physical", "causal"]
diffusion_model:
  primary:
    type: janus
    params: {model_path: "/weights/Janus-4o", janus_repo: "./Janus", device_ids: [0], conda_env: "RE-Edit",
             seed: 3, temperature: 1.0, parallel_size: 1, cfg_weight: 5.0, cfg_weight2: 5.0,
             dtype: "bfloat16", disable_progress_bar: false}
  refinement:
    type: flux2_dev
    params: {model_name: "black-forest-labs/FLUX.2-dev", num_inference_steps: 50, guidance_scale: 4.0,
             dtype: "bfloat16", use_cpu_offload: true, disable_progress_bar: false, enable_batch_sync: true}
mllm:
  type: qwen25_vl
  params:
    model_name: "Yixuan-Ding-ZJU/EditRefine"
    device: "auto"
    dtype: "bfloat16"
    batch_size: 16
    max_new_tokens: 512
    use_flash_attention: false
    prompts:
      physical: {system: "Look.", user_template: "<wish>{edit_instruction}</wish>"}
reward_model:
  type: qwen3_vl_vllm_subprocess
  params: {model_name: "Qwen/Qwen3-VL-30B-A3B-Instruct", tensor_parallel_size: 4, batch_size: 6,
           max_new_tokens: 128, temperature: 0, dtype: "bfloat16", conda_env: "RE-Edit", timeout: 3600}
evaluation:
  output_dir: "./results"
  enable_sc_metric: true
  enable_instruction_following_metric: true
  skip_refinement: false
prompts:
  physical: {system_prompt: "Is it?", user_prompt_template: "{edit_instruction}"}
log_level: "INFO"
"""


def test_the_shipped_form_keeps_prompts_paths_and_offload_and_upstreams_defaults(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text(SHIPPED)
    found = convert_config(tmp_path / "config.yaml")
    settings = found.settings
    assert settings["prompts"] == "config.yaml"
    assert settings["models"] == ["janus-4o?guidance=5.0&weights=/weights/Janus-4o"]
    assert "offload=model" in settings["executor"]
    assert settings["executor"].startswith("flux2-dev-local?")
    assert settings["grades"] == ["category", "sc", "if"]
    assert settings["judge_primary"] is False
    assert settings["judge_settings"] == {
        "max_tokens": 128, "temperature": 0, "tensor_parallel_size": 4, "dtype": "bfloat16"
    }  # fmt: skip
    assert refinement_settings(settings).prompts == "config.yaml"
    ignored = [note for note in found.notes if "ignored" in note]
    assert ignored == ["reward_model.params.timeout has no counterpart and is ignored"]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("cfg_weight2: 5.0", "cfg_weight2: 7.0", "params.cfg_weight2 is 7.0, which cannot be set here"),
        ("qwen3_vl_vllm_subprocess", "gpt_reward", "reward_model.type is 'gpt_reward'"),
        ("type: qwen25_vl", "type: llava", "mllm.type is 'llava'"),
        ('janus_repo: "./Janus"', 'lora_path: "x"', "params.lora_path is 'x', which cannot be set here"),
    ],
)
def test_what_would_be_another_model_is_an_error(tmp_path: Path, old: str, new: str, said: str) -> None:
    (tmp_path / "config.yaml").write_text(SHIPPED.replace(old, new))
    with pytest.raises(WrongUse, match=said):
        convert_config(tmp_path / "config.yaml")


def test_the_transformers_judge_is_served_by_vllm_and_a_line_says_so(tmp_path: Path) -> None:
    text = SHIPPED.replace("qwen3_vl_vllm_subprocess", "qwen3_vl_multi_gpu_subprocess")
    (tmp_path / "config.yaml").write_text(
        text.replace("tensor_parallel_size: 4", "device_ids: [0,1,2,3,4,5]")
    )
    found = convert_config(tmp_path / "config.yaml")
    assert found.settings["judge"] == "vllm:Qwen/Qwen3-VL-30B-A3B-Instruct"
    assert found.settings["judge_settings"]["tensor_parallel_size"] == 4
    assert any("here vllm serves it" in note for note in found.notes)


def test_a_file_in_another_folder_leads_to_the_same_places(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text(SHIPPED)
    moved = convert_config(tmp_path / "config.yaml").moved(tmp_path, tmp_path / "mine" / "deep")
    for key in ("data", "prompts", "workspace", "output_dir"):
        assert (tmp_path / "mine" / "deep" / moved.settings[key]).resolve().is_relative_to(tmp_path.resolve())
    assert moved.settings["prompts"] == "../../config.yaml"
