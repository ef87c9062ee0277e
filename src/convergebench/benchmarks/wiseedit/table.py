"""WiseEdit's tables: one CSV file a subset, with the oddities that its cells have."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from convergebench.data_paths import path_inside
from convergebench.errors import WrongUse

_INPUT = re.compile(r"input_(\d+)")
_WHOLE = re.compile(r"(\d+)\.0+")


@dataclass(frozen=True)
class WiseeditRow:
    """One row: an instruction in two languages, its input pictures, and what a correct result looks like."""

    subset: str
    idx: str
    prompts: Mapping[str, str]
    """By language; one that is empty in the table is not there."""
    inputs: tuple[Path, ...]
    references: tuple[Path, ...]
    hint: str


def read_table(file: Path, subset: str, root: Path) -> list[WiseeditRow]:
    """The rows of one subset; all pictures that are not there are named in one error."""
    with file.open(encoding="utf-8-sig", newline="") as text:
        cells = [
            {
                (name or "").strip(): (value or "").strip()
                for name, value in row.items()
                if isinstance(value, str)
            }
            for row in csv.DictReader(text)
        ]
    rows = [_row(one, subset, root, file) for one in cells if any(one.values())]
    _check_idx(rows, file)
    _check_pictures(rows, file)
    return rows


def split_references(cell: str) -> list[str]:
    """A JSON list, or paths separated by | or by ;.

    >>> split_references('["a.png", "b.png"]'), split_references("a.png; b.png"), split_references("")
    (['a.png', 'b.png'], ['a.png', 'b.png'], [])
    """
    try:
        found = json.loads(cell)
    except ValueError:
        separator = "|" if "|" in cell else ";"
        found = cell.split(separator)
    listed = found if isinstance(found, list) else [found]
    return [text for one in listed if (text := str(one).strip())]


def plain_idx(cell: str) -> str:
    """Spreadsheets make 12.0 of 12; result pictures are named by the latter.

    >>> plain_idx("12.0"), plain_idx("012"), plain_idx("a1")
    ('12', '012', 'a1')
    """
    whole = _WHOLE.fullmatch(cell)
    return whole[1] if whole else cell


def _row(cells: Mapping[str, str], subset: str, root: Path, file: Path) -> WiseeditRow:
    idx = plain_idx(cells.get("idx", ""))
    if not idx:
        raise WrongUse(f"{file} has a row without an idx; number it or remove it.")
    numbered = sorted(
        (int(match[1]), cells[name]) for name in cells if (match := _INPUT.fullmatch(name)) and cells[name]
    )
    if not numbered:
        raise WrongUse(f"{file}, idx {idx} names no input picture in input_1; add it.")
    prompts = {"en": cells.get("prompt", ""), "cn": cells.get("promptcn", "")}
    return WiseeditRow(
        subset,
        idx,
        {language: prompt for language, prompt in prompts.items() if prompt},
        tuple(_place(path, root, file) for _, path in numbered),
        tuple(_place(path, root, file) for path in split_references(cells.get("ref", ""))),
        cells.get("hint", ""),
    )


def _place(path: str, root: Path, file: Path) -> Path:
    """Relative to the data's root, as published, or to the table, as in a copy of one subset."""
    relative = path.replace("\\", "/").lstrip("/")
    beside, below = path_inside(file.parent, relative), path_inside(root, relative)
    if beside is None or below is None:
        raise WrongUse(f"{file} names {path!r}, which leads out of {root}; correct it.")
    return beside if beside.is_file() and not below.is_file() else below


def _check_idx(rows: list[WiseeditRow], file: Path) -> None:
    seen: set[str] = set()
    for row in rows:
        if row.idx in seen:
            raise WrongUse(f"{file} has idx {row.idx} twice; number one of them anew.")
        seen.add(row.idx)


def _check_pictures(rows: list[WiseeditRow], file: Path) -> None:
    absent = [path for row in rows for path in (*row.inputs, *row.references) if not path.is_file()]
    if absent:
        shown = ", ".join(str(path) for path in absent[:3])
        more = f" and {len(absent) - 3} more" if len(absent) > 3 else ""
        raise WrongUse(f"pictures that {file} names are not there: {shown}{more}; complete the data.")
