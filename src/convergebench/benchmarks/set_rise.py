"""RISEBench: single edits that need reasoning in time, cause, space and logic."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from convergebench.benchmarks._set_files import SetFiles, Unusable, json_entries
from convergebench.benchmarks._set_suite import Entry, instruction_of, known_task, set_suite
from convergebench.errors import WrongUse
from convergebench.types import Case

NAME = "rise"
CATEGORIES = ("temporal_reasoning", "causal_reasoning", "spatial_reasoning", "logical_reasoning")
LAYOUT = "RISEBench's data folder: one JSON file such as datav2_total_w_subtask.json, and <category>_images/"


def read(files: SetFiles) -> Iterator[Entry]:
    found = [files.only] if files.only else files.matching("*data*total*.json")
    if len(found) != 1:
        held = f"holds {', '.join(found)}" if found else "holds no data….json"
        raise WrongUse(f"{files.root} {held}; name the one file of RISEBench: {LAYOUT}")
    for number, (_, fields) in enumerate(json_entries(files, found[0]), start=1):
        label = fields.get("index") if isinstance(fields, dict) else None
        yield f"row {number} ({label})", partial(_case, files, found[0], fields)


def _case(files: SetFiles, name: str, fields: Any) -> Case:
    if not isinstance(fields, dict) or not str(fields.get("index") or "").strip():
        raise Unusable("it has no index")
    category = known_task(fields.get("category"), CATEGORIES)
    instruction = instruction_of(fields.get("instruction"))
    given = fields.get("image") or ()
    pictures = [given] if isinstance(given, str) else list(given)
    if not pictures:
        raise Unusable("it has no image")
    sources = tuple(files.picture(str(one), str(one), near=name) for one in pictures)
    hints = {"rationale": str(fields["reference"])} if fields.get("reference") else {}
    return Case(f"{category}/{fields['index']}", sources, instruction, category=category, hints=hints)


SUITE = set_suite(
    NAME,
    "RISEBench: single edits that need reasoning, for a judge",
    read,
    layout=LAYOUT,
    cases=360,
    patterns=("*.json",),
)
