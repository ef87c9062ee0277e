"""PIE-Bench: single edits with masks, from its mapping file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from convergebench.benchmarks._masks import run_length_mask
from convergebench.benchmarks._set_files import SetFiles, Unusable, json_entries
from convergebench.benchmarks._set_suite import Entry, instruction_of, picked, set_suite
from convergebench.types import Case, SessionTurn

NAME = "pie-bench"
FILE = "mapping_file.json"
TYPES = (
    "random", "change_object", "add_object", "delete_object", "change_content", "change_pose",
    "change_color", "change_material", "background_change", "style_change",
)  # fmt: skip
LAYOUT = f"PIE-Bench's {FILE}, with annotation_images/ beside it"
_PIXELS = 512 * 512


def read(files: SetFiles) -> Iterator[Entry]:
    for name in picked(files, FILE):
        for key, fields in json_entries(files, name):
            yield f"case {key}", partial(_case, files, name, key, fields)


def _case(files: SetFiles, name: str, key: str, fields: Any) -> Case:
    if not isinstance(fields, dict):
        raise Unusable("it is not an object")
    instruction = instruction_of(fields.get("editing_instruction"))
    kind = str(fields.get("editing_type_id", ""))
    if not kind.isdigit() or int(kind) >= len(TYPES):
        raise Unusable(f"its editing_type_id {kind!r} is unknown")
    task, picture = TYPES[int(kind)], str(fields.get("image_path") or "")
    source = files.picture(key, picture, near=name)
    mask = run_length_mask(f"{key}-mask", _runs(fields.get("mask")))
    prompts = (("description", "original_prompt"), ("hint", "editing_prompt"))
    hints = {hint: str(fields[field]) for hint, field in prompts if fields.get(field)}
    caption = re.sub(r"[\[\]]", "", hints.get("hint", ""))  # brackets mark what changes
    turns = (SessionTurn(instruction, task, mask=mask, caption=caption),)
    return Case(key, (source,), instruction, category=task, hints=hints, turns=turns)


def _runs(value: Any) -> list[int]:
    """Pairs of start and length; some copies of the file have them as text."""
    try:
        if isinstance(value, str):
            value = json.loads(value) if value.strip().startswith("[") else value.split()
        runs = [int(one) for one in value]
    except (TypeError, ValueError):
        raise Unusable("its mask cannot be read") from None
    if not runs or len(runs) % 2 or any(not 0 <= start < _PIXELS for start in runs[::2]):
        raise Unusable("its mask is not a list of starts and lengths on 512 × 512 pixels")
    return runs


SUITE = set_suite(
    NAME,
    "PIE-Bench: single edits with masks, measured outside them",
    read,
    layout=LAYOUT,
    cases=700,
    turns=700,
    pictures=700,
    patterns=("*.json",),
)
