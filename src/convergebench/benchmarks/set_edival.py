"""EdiVal-Bench: sessions of three turns on objects of a picture, from the CSV file of its repository."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial
from typing import Any

from convergebench.benchmarks._set_files import SetFiles, Unusable, csv_rows
from convergebench.benchmarks._set_suite import Entry, known_task, session_instructions, set_suite
from convergebench.errors import WrongUse
from convergebench.types import Case, SessionTurn

NAME = "edival"
TABLE = "oai_instruction_generation_output.csv"
TASKS = (
    "subject_add", "subject_remove", "subject_replace", "color_alter", "material_alter", "text_change",
    "position_change", "count_change", "background_change",
)  # fmt: skip
_COLUMNS = ("image_index", "turns", "task_type", "instructions")
LAYOUT = f"EdiVal's {TABLE} with its pictures <index>_input_raw.jpg in a folder or zip file beside it"


def read(files: SetFiles) -> Iterator[Entry]:
    """One entry for each picture. A row holds all turns up to its own, so the longest has the session."""
    found = [files.only] if files.only.endswith(".csv") else files.ending(TABLE)
    if not found:
        raise WrongUse(f"{files.root} holds no {TABLE}; give {LAYOUT}")
    longest: dict[str, dict[str, str]] = {}
    for row in csv_rows(files, found[0], _COLUMNS):
        index = str(row["image_index"]).strip()
        if index not in longest or _turns(row) > _turns(longest[index]):
            longest[index] = row
    for index, row in longest.items():
        yield f"session {index}", partial(_case, files, index, row)


def _turns(row: dict[str, str]) -> int:
    return int(row["turns"]) if str(row["turns"]).strip().isdigit() else 0


def _case(files: SetFiles, index: str, row: dict[str, str]) -> Case:
    instructions = session_instructions(_literal(row, "instructions"))
    if len(instructions) != _turns(row):
        raise Unusable(f"it has {len(instructions)} instructions for {row['turns']} turns")
    tasks = [known_task(task, TASKS) for task in _literal(row, "task_type")]
    if len(tasks) != len(instructions):
        raise Unusable(f"it has {len(tasks)} task types for {len(instructions)} turns")
    source = files.picture(f"{index}_input_raw", f"{index}_input_raw.jpg", f"{index}_input_raw.png")
    turns = tuple(SessionTurn(*turn) for turn in zip(instructions, tasks, strict=True))
    return Case(index, (source,), instructions[0], category="session", turns=turns)


def _literal(row: dict[str, str], column: str) -> list[Any]:
    """Lists stand in the table as Python writes them."""
    try:
        found = ast.literal_eval(row[column] or "[]")
    except (ValueError, SyntaxError) as error:
        raise Unusable(f"its {column} cannot be read as a list") from error
    return list(found) if isinstance(found, list | tuple) else [found]


SUITE = set_suite(
    NAME,
    "EdiVal-Bench: sessions of three turns, with nine types of edit",
    read,
    layout=LAYOUT,
    cases=572,
    turns=1716,
    pictures=572,
    patterns=("*.csv",),
)
