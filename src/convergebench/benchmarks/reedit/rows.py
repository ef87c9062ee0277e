"""RE-Edit's rows, as its file gives them, and what is wrong with those that cannot be used."""

from __future__ import annotations

import base64
import binascii
import io
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path, PureWindowsPath
from typing import Any

from convergebench.benchmarks.reedit.long_json import rows_in
from convergebench.data_paths import path_inside
from convergebench.suites._picture_files import source_in_bytes, source_in_file
from convergebench.types import SourcePicture

CATEGORIES = ("physical", "environmental", "cultural", "causal", "referential")
_IN_CHINESE = {
    "物理": "physical", "环境": "environmental", "社会": "cultural", "文化": "cultural", "因果": "causal",
    "指代": "referential",
}  # fmt: skip
PICTURE, PATH = "src_img_b64", "original_image_path"
_DATA_URI = re.compile(r"\s*data:[^,]*,")


@dataclass(frozen=True)
class ReeditRow:
    """One row, without its picture, and where it stands in the file, counted from 1."""

    id: str
    category: str
    instruction: str
    description: str
    rationale: str
    number: int


@dataclass(frozen=True)
class BrokenRow:
    number: int
    name: str
    """As far as one can be told."""
    reason: str


@dataclass(frozen=True)
class ReeditRows:
    rows: tuple[ReeditRow, ...]
    broken: tuple[BrokenRow, ...]
    renamed: tuple[ReeditRow, ...]
    """Rows whose picture has the name of an earlier row's; a number behind the name tells them apart."""


class _Unusable(Exception):
    """Why a row is no case."""


def read_rows(file: Path) -> ReeditRows:
    """All rows of the file; pictures are looked at as far as it takes to know that there is one."""
    rows: dict[str, ReeditRow] = {}
    broken: list[BrokenRow] = []
    renamed: list[ReeditRow] = []
    for number, (listed_under, fields) in enumerate(rows_in(file), start=1):
        try:
            row = _row(fields, listed_under, number, rows)
            _check_picture(fields, file)
        except _Unusable as error:
            broken.append(BrokenRow(number, _name(fields, number), str(error)))
            continue
        rows[row.id] = row
        if row.id != f"{row.category}/{_name(fields, number)}":
            renamed.append(row)
    return ReeditRows(tuple(rows.values()), tuple(broken), tuple(renamed))


def pictures_of(file: Path, numbers: Collection[int]) -> dict[int, SourcePicture]:
    """The pictures of usable rows by number; those in base64 are written to the cache once."""
    found = {}
    for number, (_, fields) in enumerate(rows_in(file), start=1):
        if number in numbers:
            data = _bytes(fields)
            found[number] = source_in_file(_place(fields, file)) if data is None else source_in_bytes(data)
    return found


def _row(fields: Any, listed_under: str, number: int, taken: Collection[str]) -> ReeditRow:
    if not isinstance(fields, Mapping):
        raise _Unusable("it is not an object")
    category = _category(fields, listed_under)
    instruction = _text(fields, "edit_instruction_en")
    if not instruction:
        raise _Unusable("it has no edit_instruction_en")
    return ReeditRow(
        _free_id(f"{category}/{_name(fields, number)}", taken),
        category,
        instruction,
        _text(fields, "original_description_en"),
        _text(fields, "rationale_short_en"),
        number,
    )


def _category(fields: Mapping[str, Any], listed_under: str) -> str:
    said = _text(fields, "subset").lower()
    above = listed_under.strip().lower()
    if said and above and said != above:
        raise _Unusable(f"it stands under {above} and its subset is {said}")
    category = said or above
    if category not in CATEGORIES:
        raise _Unusable(f"its subset {category!r} is unknown" if category else "it has no subset")
    return category


def _name(fields: Any, number: int) -> str:
    """The base name of the picture's path, as result pictures are named by it: with a category in English."""
    path = _text(fields, PATH) if isinstance(fields, Mapping) else ""
    # Windows' rules know both kinds of slash.
    words = PureWindowsPath(path).stem.split("_")
    return "_".join(_IN_CHINESE.get(word, word) for word in words) or f"row-{number}"


def _free_id(id: str, taken: Collection[str]) -> str:
    """
    >>> _free_id("causal/3", []), _free_id("causal/3", ["causal/3", "causal/3~2"])
    ('causal/3', 'causal/3~3')
    """
    count, free = 1, id
    while free in taken:
        count += 1
        free = f"{id}~{count}"
    return free


def _text(fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name)
    return value.strip() if isinstance(value, str) else ""


def _bytes(fields: Mapping[str, Any]) -> bytes | None:
    """The picture that stands in the row; None if there is none."""
    text = fields.get(PICTURE)
    if text is None or text == "":
        return None
    try:
        return base64.b64decode("".join(_DATA_URI.sub("", text, count=1).split()), validate=True)
    except (binascii.Error, ValueError, TypeError) as error:
        raise _Unusable(f"its {PICTURE} is not base64") from error


def _place(fields: Mapping[str, Any], file: Path) -> Path:
    place = path_inside(file.parent, _text(fields, PATH))
    if place is None:
        raise _Unusable(f"its {PATH} leads out of the data's folder")
    return place


def _check_picture(fields: Mapping[str, Any], file: Path) -> None:
    from PIL import Image

    data = _bytes(fields)
    if data is None and not _text(fields, PATH):
        raise _Unusable(f"it has no picture in {PICTURE} and no {PATH}")
    if data is None and not _place(fields, file).is_file():
        raise _Unusable(f"it has no {PICTURE}, and there is no picture at its {PATH}")
    try:
        with Image.open(_place(fields, file) if data is None else io.BytesIO(data)):
            pass
    except (OSError, ValueError, Image.DecompressionBombError) as error:
        raise _Unusable("its picture cannot be read") from error
