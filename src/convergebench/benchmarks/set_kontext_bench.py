"""KontextBench: single edits in five categories."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from convergebench.benchmarks._set_files import SetFiles, Unusable, json_entries
from convergebench.benchmarks._set_suite import Entry, instruction_of, picked, set_suite
from convergebench.types import Case

NAME = "kontext-bench"
FILE = "metadata.jsonl"
LAYOUT = f"KontextBench's folder test/ with {FILE} and its pictures"


def read(files: SetFiles) -> Iterator[Entry]:
    for name in picked(files, FILE):
        for number, (_, fields) in enumerate(json_entries(files, name), start=1):
            label = fields.get("key") if isinstance(fields, dict) else None
            yield f"line {number} ({label})", partial(_case, files, name, fields)


def _case(files: SetFiles, name: str, fields: Any) -> Case:
    if not isinstance(fields, dict) or fields.get("key") in (None, ""):
        raise Unusable("it has no key")
    category = str(fields.get("category") or "").strip()
    if not category:
        raise Unusable("it has no category")
    picture = str(fields.get("file_name") or "")
    source = files.picture(picture, picture, near=name)
    return Case(str(fields["key"]), (source,), instruction_of(fields.get("instruction")), category=category)


SUITE = set_suite(
    NAME,
    "KontextBench: single edits in five categories, for a judge",
    read,
    layout=LAYOUT,
    cases=1026,
    patterns=("*.jsonl",),
)
