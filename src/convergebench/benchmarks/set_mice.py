"""MICE-Bench (Edit-R2): sessions of three turns that need memory or understanding, in EdiVal's fields."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import PurePosixPath
from typing import Any

from convergebench.benchmarks._set_files import SetFiles, Unusable, json_entries
from convergebench.benchmarks._set_suite import Entry, known_task, session_instructions, set_suite
from convergebench.benchmarks.set_edival import TASKS
from convergebench.types import Case, SessionTurn

NAME = "mice"
FILE = "test_metadata.jsonl"
PARTS = {"cm": "content memory", "cu": "content understanding"}
LAYOUT = f"Edit-R2's dataset folder with cm/{FILE} and cu/{FILE}, and their pictures below it"


def read(files: SetFiles) -> Iterator[Entry]:
    for name in [files.only] if files.only else files.matching(f"*/{FILE}"):
        part = PurePosixPath(files.root.name, name).parent.name
        for number, (_, fields) in enumerate(json_entries(files, name), start=1):
            yield f"{part} line {number}", partial(_case, files, name, part, number, fields)


def _case(files: SetFiles, name: str, part: str, number: int, fields: Any) -> Case:
    if not isinstance(fields, dict):
        raise Unusable("it is not an object")
    if part not in PARTS:
        raise Unusable(f"its folder {part!r} is none of {', '.join(PARTS)}")
    instructions = session_instructions(_listed(fields.get("instruction", fields.get("instructions"))))
    tasks = [known_task(task, TASKS) for task in _listed(fields.get("task_type"))]
    if len(tasks) != len(instructions):
        raise Unusable(f"it has {len(tasks)} task types for {len(instructions)} turns")
    # Paths are those of the authors' machine: the file's name is what is left of them.
    picture = PurePosixPath(str(fields.get("image") or "")).name
    source = files.picture(PurePosixPath(picture).stem, picture, near=name)
    turns = tuple(SessionTurn(*turn) for turn in zip(instructions, tasks, strict=True))
    return Case(f"{part}/{number}", (source,), instructions[0], category=part, turns=turns)


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list) else [value] if value is not None else []


SUITE = set_suite(
    NAME,
    "MICE-Bench: sessions of three turns that need memory or understanding",
    read,
    layout=LAYOUT,
    cases=720,
    turns=2160,
    patterns=("*.jsonl",),
)
