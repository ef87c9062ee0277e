"""MSE-Bench (VINCIE): 100 sessions of five turns, from the parquet files of its dataset."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from convergebench.benchmarks._set_files import SetFiles, table_columns, table_picture, table_rows
from convergebench.benchmarks._set_suite import Entry, session_instructions, set_suite
from convergebench.errors import WrongUse
from convergebench.types import Case, SessionTurn

NAME = "mse-bench"
_COLUMNS = ("context", "index", "operation", "summary", "description_source")
LAYOUT = "MSE-Bench's parquet files, with the columns image, context and index"


def read(files: SetFiles) -> Iterator[Entry]:
    for name in [files.only] if files.only else files.matching("*.parquet"):
        lacking = [one for one in ("image", "context", "index") if one not in table_columns(files, name)]
        if lacking:
            raise WrongUse(f"{files.root / name} has no column {lacking[0]}; give {LAYOUT}")
        for number, row in enumerate(table_rows(files, name, _COLUMNS)):
            yield f"session {row.get('index')}", partial(_case, files, name, number, row)


def _case(files: SetFiles, name: str, number: int, row: dict[str, Any]) -> Case:
    instructions = session_instructions(list(row.get("context") or ()))
    operations = [*(row.get("operation") or ()), *[""] * len(instructions)]
    id = str(row["index"]) if row.get("index") is not None else f"row-{number + 1}"
    turns = tuple(
        SessionTurn(instruction, str(operations[place] or "").replace("|", "/"))
        for place, instruction in enumerate(instructions)
    )
    source = table_picture(files, name, "image", number, id)
    hints = {"description": str(row["description_source"])} if row.get("description_source") else {}
    return Case(id, (source,), instructions[0], category="session", hints=hints, turns=turns)


SUITE = set_suite(
    NAME,
    "MSE-Bench: 100 sessions of five turns",
    read,
    layout=LAYOUT,
    cases=100,
    turns=500,
    pictures=100,
    patterns=("*.parquet",),
    hub="leigangqu/MSE-Bench",
)
