"""GenAI-Bench's part on editing: pairs of edits by two models, with people's votes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal

from convergebench.benchmarks._set_files import SetFiles, table_columns, table_picture, table_rows
from convergebench.benchmarks._set_suite import Entry, instruction_of, set_suite
from convergebench.errors import WrongUse
from convergebench.types import Case, SourcePicture

NAME = "genai-bench"
_COLUMNS = ("instruct_prompt", "source_image", "left_model", "right_model", "vote_type")
_OUTPUTS = ("left_output_image", "right_output_image")
LAYOUT = f"GenAI-Bench's parquet files on image editing, with the columns {', '.join(_COLUMNS)}"
Winner = Literal["left", "right", "tie"]
_WINNERS: dict[str, Winner] = {
    "leftvote": "left", "rightvote": "right", "tievote": "tie", "bothbad_vote": "tie", "bothbadvote": "tie",
    "left": "left", "right": "right", "tie": "tie",
}  # fmt: skip


@dataclass(frozen=True)
class EditVote:
    """One person's choice between two models' edits of a case."""

    case: str
    left: str
    right: str
    winner: Winner
    both_bad: bool = False
    pictures: tuple[SourcePicture, SourcePicture] | None = field(default=None, compare=False)
    """Left and right; None if the files have votes only."""


def read(files: SetFiles) -> Iterator[Entry]:
    for name, number, row in _rows(files):
        yield f"row {number + 1}", partial(_case, files, name, number, row)


def _case(files: SetFiles, name: str, number: int, row: dict[str, Any]) -> Case:
    id = _id(name, number)
    source = table_picture(files, name, "source_image", number, id)
    return Case(id, (source,), instruction_of(row["instruct_prompt"]), category="edit")


def read_votes(data: Path) -> list[EditVote]:
    """People's votes, in order; rows with a vote of another form are left out (`unread_votes`)."""
    files = SetFiles(data)
    return [
        EditVote(
            _id(name, number), str(row["left_model"]), str(row["right_model"]), winner, "bad" in said,
            _outputs(files, name, number),
        )
        for name, number, row in _rows(files)
        if (winner := _WINNERS.get(said := _said(row)))
    ]  # fmt: skip


def unread_votes(data: Path) -> Counter[str]:
    """The votes of a form that is not known, and how many rows have each."""
    return Counter(said for _, _, row in _rows(SetFiles(data)) if (said := _said(row)) not in _WINNERS)


def _said(row: dict[str, Any]) -> str:
    return str(row["vote_type"] or "").strip().lower()


def _outputs(files: SetFiles, name: str, number: int) -> tuple[SourcePicture, SourcePicture] | None:
    if not {*_OUTPUTS} <= {*table_columns(files, name)}:
        return None
    left, right = (table_picture(files, name, column, number, _id(name, number)) for column in _OUTPUTS)
    return left, right


def _rows(files: SetFiles) -> Iterator[tuple[str, int, dict[str, Any]]]:
    for name in [files.only] if files.only else files.matching("*.parquet"):
        lacking = [one for one in _COLUMNS if one not in table_columns(files, name)]
        if lacking:
            raise WrongUse(f"{files.root / name} has no column {lacking[0]}; give {LAYOUT}")
        columns = ("instruct_prompt", "left_model", "right_model", "vote_type")
        for number, row in enumerate(table_rows(files, name, columns)):
            yield name, number, row


def _id(name: str, number: int) -> str:
    return f"{Path(name).stem}-{number + 1}"


SUITE = set_suite(
    NAME,
    "GenAI-Bench, editing: single edits with people's votes on pairs of models",
    read,
    layout=LAYOUT,
    patterns=("*.parquet",),
)
