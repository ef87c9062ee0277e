"""ImgEdit: single edits of nine types, the harder UGE part, and sessions of two or three turns."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import PurePosixPath
from typing import Any

from convergebench.benchmarks._set_files import SetFiles, Unusable, json_entries
from convergebench.benchmarks._set_suite import (
    Entry,
    instruction_of,
    known_task,
    picked,
    session_instructions,
    set_suite,
)
from convergebench.types import Case, SessionTurn

TYPES = ("extract", "style", "add", "adjust", "background", "replace", "remove", "action", "compose")
PARTS = ("content_memory", "content_understand", "version_backtrace")
BASIC, UGE, ANNOTATION = "basic_edit.json", "UGE_edit.json", "annotation.json"
_LAYOUT = "ImgEdit's {}, with the pictures of its Benchmark.tar in a folder beside it or in the archive"


def read_basic(files: SetFiles) -> Iterator[Entry]:
    for name in picked(files, BASIC):
        for key, fields in json_entries(files, name):
            yield f"case {key}", partial(_single, files, name, key, fields)


def read_uge(files: SetFiles) -> Iterator[Entry]:
    for name in picked(files, UGE):
        for key, fields in json_entries(files, name):
            label = key or (fields.get("id") if isinstance(fields, dict) else "")
            yield f"case {label}", partial(_single, files, name, key, fields, only_type="UGE")


def _single(files: SetFiles, name: str, key: str, fields: Any, only_type: str = "") -> Case:
    if not isinstance(fields, dict):
        raise Unusable("it is not an object")
    instruction = instruction_of(fields.get("prompt"))
    category = only_type or known_task(fields.get("edit_type"), TYPES)
    picture = str(fields.get("id") or "")
    id = key or PurePosixPath(picture).stem
    source = files.picture(PurePosixPath(picture).stem or id, picture, near=name)
    return Case(id, (source,), instruction, category=category)


def read_multiturn(files: SetFiles) -> Iterator[Entry]:
    """A folder for each part; its file is JSON Lines in spite of its name, or an object by number."""
    for name in [files.only] if files.only else files.matching(f"*/{ANNOTATION}"):
        part = PurePosixPath(files.root.name, name).parent.name
        for key, fields in json_entries(files, name):
            label = key or (fields.get("id") if isinstance(fields, dict) else "")
            yield f"{part} {label}", partial(_session, files, name, part, key, fields)


def _session(files: SetFiles, name: str, part: str, key: str, fields: Any) -> Case:
    if not isinstance(fields, dict):
        raise Unusable("it is not an object")
    numbers = [int(one.removeprefix("turn")) for one in fields if one.removeprefix("turn").isdigit()]
    count = max(numbers, default=0)
    instructions = session_instructions([fields.get(f"turn{turn}") for turn in range(1, count + 1)])
    category = known_task(part, PARTS)
    picture = str(fields.get("id") or "")
    stem = PurePosixPath(picture).stem
    source = files.picture(f"{category}/{stem}", picture, near=name)
    turns = tuple(SessionTurn(instruction, category) for instruction in instructions)
    return Case(f"{category}/{key or stem}", (source,), instructions[0], category=category, turns=turns)


SUITES = (
    set_suite(
        "imgedit",
        "ImgEdit: single edits of nine types, for a judge",
        read_basic,
        layout=_LAYOUT.format(BASIC),
        cases=737,
        patterns=("*.json",),
    ),
    set_suite(
        "imgedit-uge",
        "ImgEdit UGE: single edits that need understanding, for a judge",
        read_uge,
        layout=_LAYOUT.format(UGE),
        cases=47,
        patterns=("*.json",),
    ),
    set_suite(
        "imgedit-multiturn",
        "ImgEdit's sessions of two or three turns; version_backtrace asks to go back",
        read_multiturn,
        layout=_LAYOUT.format("multiturn/<part>/" + ANNOTATION),
        cases=30,
        turns=88,
        patterns=("*.json",),
    ),
)
