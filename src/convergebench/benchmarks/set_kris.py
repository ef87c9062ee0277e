"""KRIS-Bench: single edits that need knowledge, a folder for each category."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import PurePosixPath
from typing import Any

from convergebench.benchmarks._set_files import SetFiles, Unusable, json_entries
from convergebench.benchmarks._set_suite import Entry, instruction_of, set_suite
from convergebench.types import Case

NAME = "kris"
FILE = "annotation.json"
LAYOUT = f"KRIS-Bench's folder with <category>/{FILE} and the category's pictures beside it"


def read(files: SetFiles) -> Iterator[Entry]:
    for name in [files.only] if files.only else files.matching(f"*/{FILE}"):
        folder = PurePosixPath(files.root.name, name).parent.name
        for number, (key, fields) in enumerate(json_entries(files, name), start=1):
            label = key or str(number)
            yield f"{folder} {label}", partial(_case, files, name, folder, label, fields)


def _case(files: SetFiles, name: str, folder: str, key: str, fields: Any) -> Case:
    """Files of the repository have ori_img, those of the hub ori_images; either may list several."""
    if not isinstance(fields, dict):
        raise Unusable("it is not an object")
    category = str(fields.get("category") or folder)
    given = fields.get("ori_img") or fields.get("ori_images") or ()
    pictures = [given] if isinstance(given, str) else list(given)
    if not pictures:
        raise Unusable("it has no ori_img")
    instruction = instruction_of(fields.get("ins_en"))
    sources = tuple(files.picture(f"{category}/{one}", str(one), near=name) for one in pictures)
    hints = {"rationale": str(fields["explain_en"])} if fields.get("explain_en") else {}
    return Case(f"{category}/{key}", sources, instruction, category=category, hints=hints)


SUITE = set_suite(
    NAME,
    "KRIS-Bench: single edits that need knowledge, for a judge",
    read,
    layout=LAYOUT,
    patterns=("*.json",),
)
