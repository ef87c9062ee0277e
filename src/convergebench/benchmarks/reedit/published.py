"""RE-Edit's published wording, from the user's own copy of its configuration."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from convergebench.benchmarks.reedit.rows import CATEGORIES
from convergebench.benchmarks.wording import AS_THEY_ARE, PublishedRubrics, in_published_words
from convergebench.judges import Rubric
from convergebench.judges.message import Exhibit, Message, MessagePart, Passage, Template
from convergebench.judges.published_wording import PUBLISHED as WORDS
from convergebench.judges.published_wording import (
    find_in_copy,
    format_template,
    required_text,
    wording_label,
    yaml_section,
)
from convergebench.judges.reasoning import Prompt
from convergebench.judges.rubric import PictureLimits
from convergebench.settings_file import read_yaml

CONFIG = "config/config_iterative_refinement.yaml"
SCORING_CONFIG = "single_scoring_part_vllm/scoring_config.yaml"
_SECTIONS = {
    **{f"reedit_{category}": category for category in CATEGORIES},
    "reedit_sc": "sc_metric",
    "reedit_if": "instruction_following",
    "reedit_pq": "pq_metric",
}
_FIELDS = {
    "edit_instruction": "instruction",
    "original_description": "description",
    "rationale": "rationale",
}
_CHALLENGE = Template(("\n\nTask Challenge: ", "rationale", ""))
"""How upstream's scorer adds the rationale to a prompt that has no place for it."""
_PICTURES = PictureLimits(longest_side=AS_THEY_ARE)
_REASONER_FIELDS = {
    "edit_instruction": "instruction",
    "original_description": "description",
    "category": "category",
}
_REASONER = ("mllm", "params", "prompts")


def published_rubrics(copy: Path) -> dict[str, Rubric]:
    """The pictures first, then the text."""
    file = _config(copy)
    prompts = yaml_section(file, "prompts")
    messages = {
        name: _message(name, yaml_section(file, "prompts", section), file)
        for name, section in _SECTIONS.items()
        if section in prompts
    }
    return in_published_words(messages, _PICTURES)


def _config(copy: Path) -> Path:
    if copy.is_file() and copy.suffix in (".yaml", ".yml"):  # users keep configurations under their own names
        return copy
    return find_in_copy(copy, CONFIG, SCORING_CONFIG)


def _message(name: str, section: Mapping[str, Any], file: Path) -> Message:
    text = required_text(section, "user_prompt_template", file)
    where = f"the user_prompt_template of {_SECTIONS[name]}"
    words = format_template(text, _FIELDS, where, file)
    parts: list[MessagePart] = [Exhibit("source"), Exhibit("result"), Passage(words)]
    if _SECTIONS[name] in CATEGORIES and "rationale" not in words.fields:
        parts.append(Passage(_CHALLENGE, needs="rationale", is_joined=True))
    return Message(tuple(parts), required_text(section, "system_prompt", file))


def published_reasoner(copy: Path) -> tuple[tuple[str, Prompt], ...]:
    """The reasoner's prompts by category; none where the file has no reasoner. The pictures come first."""
    file = _config(copy)
    if "mllm" not in read_yaml(file):
        return ()
    sections = yaml_section(file, *_REASONER)
    found = {}
    for name in sections:
        section = yaml_section(file, *_REASONER, name)
        text = required_text(section, "user_template", file)
        where = f"the user_template of {name}"
        words = format_template(text, _REASONER_FIELDS, where, file)
        parts = (Exhibit("source"), Exhibit("result"), Passage(words))
        found[name] = Message(parts, required_text(section, "system", file))
    label = wording_label(WORDS, {name: repr(message) for name, message in found.items()})
    return tuple(
        (name, Prompt("look", 1, message.system, "", _PICTURES, message, label))
        for name, message in found.items()
    )


PUBLISHED = PublishedRubrics(tuple(_SECTIONS), published_rubrics, "Yixuan-Ding-ZJU/RE-Edit")
