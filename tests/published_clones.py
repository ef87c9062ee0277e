"""Clones of the benchmarks' repositories in their published layout, with words made for these tests."""

from __future__ import annotations

import json
from pathlib import Path

CATEGORIES = ("physical", "environmental", "cultural", "causal", "referential")


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def gedit_clone(root: Path) -> Path:
    """Prompts as string constants between other things, in a module that must not be run."""
    write(
        root / "GEdit-Bench" / "viescore" / "vie_prompts.py",
        '''# made by a program
raise RuntimeError("this file is read, not run")
import nothing_like_this

_unused = 7
_context_no_delimit = """Grade pictures. Answer so:
{
"score" : [...],
"reasoning" : "..."
}"""
_prompts_0shot_two_image_edit_rule = """Two pictures follow."""
_prompts_0shot_tie_rule_SC = ("""
First grade, second grade.
"""
    "Wish: <instruction>")
_prompts_0shot_rule_PQ = "One picture " + "follows."
''',
    )
    return root


def wiseedit_clone(root: Path) -> Path:
    metrics = ("detail_preserving", "instruction_following", "knowledge_fidelity", "creative_fusion")
    single = [f'prompt_{name}_single = """Grade {name} of one."""\n' for name in metrics]
    several = [f'prompt_{name}_multi = """Grade {name} of many."""\n' for name in metrics]
    folder = root / "Evaluation"
    write(folder / "prompt_single.py", "".join(single) + "prompt_visual_quality = 'Grade the look.'\n")
    write(folder / "prompt_multi.py", "".join(several))
    write(
        folder / "evaluation_utils.py",
        """
from prompt_single import *

def build_message_for_metric(metric, instruction, inputs, is_multi, edited, hint=None, refs=None):
    base_prompt = get_metric_prompt(metric, is_multi)
    if not base_prompt:
        base_prompt = ("Judge."
            f"The '{metric}' please.")
    if metric == "visual_quality":
        content = [
            {"type": "text", "text": base_prompt},
            {"type": "text", "text": "Alone:"},
            {"type": "image_url", "image_url": {"url": f"data:image/jpeg;base64,{edited}"}},
        ]
        return {"role": "user", "content": content}
    content = []
    full_text = (
        base_prompt + "\\n\\n"
        f"Wish: {instruction}"
    )
    content.append({"type": "text", "text": full_text})
    for idx, one in enumerate(inputs, start=1):
        content.append({"type": "text", "text": f"Before no. {idx}:"})
        content.append({"type": "image_url", "image_url": {"url": f"data:image/jpeg;base64,{one}"}})
    else:
        content.append({"type": "text", "text": "Before:"})
    content.append({"type": "text", "text": "After:"})
    if hint:
        content.append({
            "type": "text",
            "text": (
                "Help: "
                "it should show\\n"
                f"{hint}"
            ),
        })
    for one in refs:
        content.append({"type": "text", "text": f"Like this:"})
    return {"role": "user", "content": content}
""",
    )
    return root


def reedit_clone(root: Path, reasoner: str = "Yixuan-Ding-ZJU/EditRefine") -> Path:
    """One configuration with the judge's and the reasoner's prompts."""
    verdicts = "".join(
        f"""  {name}:
    system_prompt: |
      Is it {name}? Answer {{"score": "yes" or "no"}}.
    user_prompt_template: |
      It was: {{original_description}}
      Wish: {{edit_instruction}}
      {{{{"score": ...}}}}
"""
        for name in CATEGORIES
    )
    grades = "".join(
        f"""  {name}:
    system_prompt: "Grade {name}."
    user_prompt_template: "Wish: {{edit_instruction}}"
"""
        for name in ("pq_metric", "sc_metric", "instruction_following")
    )
    looks = "".join(
        f"""      {name}:
        system: |
          Look for what is not {name}.
        user_template: |
          <wish>{{edit_instruction}}</wish>
"""
        for name in CATEGORIES
    )
    write(
        root / "config" / "config_iterative_refinement.yaml",
        f"""data:
  path: "RE-Edit.json"
mllm:
  type: qwen25_vl
  params:
    model_name: "{reasoner}"
    prompts:
{looks}
prompts:
{verdicts}{grades}
""",
    )
    return root


def imgedit_clone(root: Path) -> Path:
    """One prompt for each type of edit, in a JSON file."""
    kinds = ("extract", "style", "add", "adjust", "background", "replace", "remove", "action", "compose")
    prompts = {kind: f"Grade the {kind} three times.\nWish: <edit_prompt>" for kind in kinds}
    write(root / "Benchmark" / "Basic" / "prompts.json", json.dumps(prompts))
    return root


def vincie_clone(root: Path) -> Path:
    """A template in a module that must not be run."""
    write(
        root / "evaluation" / "compute_score.py",
        '''import nothing_like_this
raise RuntimeError("this file is read, not run")
NUM_TRY = 20
prompt_template = \\
"""{num_prompts} wishes and {num_images} pictures: {editing_prompt}
Answer {{"reason": "...", "prompt_following": int, "consistency": int}}"""
''',
    )
    return root
