"""GEdit-Bench v2: single edits of 23 tasks, from the parquet files of its dataset."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from convergebench.benchmarks._set_files import SetFiles, Unusable, table_columns, table_picture, table_rows
from convergebench.benchmarks._set_suite import Entry, instruction_of, set_suite
from convergebench.errors import WrongUse
from convergebench.types import Case

NAME = "gedit2"
_COLUMNS = ("key", "instruction", "source_image")
LAYOUT = f"GEdit-Bench v2's data/*.parquet, with the columns {', '.join(_COLUMNS)}"


def read(files: SetFiles) -> Iterator[Entry]:
    for name in [files.only] if files.only else files.matching("*.parquet"):
        lacking = [one for one in _COLUMNS if one not in table_columns(files, name)]
        if lacking:
            raise WrongUse(f"{files.root / name} has no column {lacking[0]}; give {LAYOUT}")
        for number, row in enumerate(table_rows(files, name, ("key", "instruction"))):
            yield f"row {number + 1} ({row['key']})", partial(_case, files, name, number, row)


def _case(files: SetFiles, name: str, number: int, row: dict[str, Any]) -> Case:
    """The task is the key without its number: background_change_000000."""
    key = str(row["key"] or "").strip()
    task = re.sub(r"_\d+$", "", key)
    if not key or task == key:
        raise Unusable(f"its key {key!r} is not of the form <task>_<number>" if key else "it has no key")
    source = table_picture(files, name, "source_image", number, key)
    return Case(key, (source,), instruction_of(row["instruction"]), category=task)


SUITE = set_suite(
    NAME,
    "GEdit-Bench v2: single edits of 23 tasks, for a judge",
    read,
    layout=LAYOUT,
    cases=1200,
    patterns=("*.parquet",),
    hub="GEditBench-v2/GEditBench-v2",
)
