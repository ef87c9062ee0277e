"""Text of files that other programs wrote."""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from convergebench.errors import WrongUse

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def has_half_character(text: str) -> bool:
    """Whether the text holds half of a character, which JSON can spell and no file can hold.

    >>> has_half_character("a hat \\ud83d"), has_half_character("a hat 🎩")
    (True, False)
    """
    return any("\ud800" <= letter <= "\udfff" for letter in text)


def read_text(path: Path) -> str:
    """A file in UTF-8, or in UTF-16 with a byte order mark, as spreadsheets export it."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise WrongUse(f"cannot read {path}: {error.strerror}; check the path") from error
    encoding = next((name for mark, name in _MARKS if data.startswith(mark)), "utf-8")
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise WrongUse(f"{path} is not a text file in UTF-8 or UTF-16 ({error}); save it as UTF-8") from error


def json_lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines of JSON Lines that hold something, with their numbers. Only a newline ends one: a text in
    JSON may hold every other end of a line that Python knows.

    >>> list(json_lines('["one \\u2028 two"]\\n\\n[]\\n'))
    [(1, '["one \\u2028 two"]'), (3, '[]')]
    """
    yield from ((number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip())


def csv_rows(text: str, path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The rows of a table, each with the number of its last line. WrongUse for a field below no heading: it
    is the rest of a text with a comma that is not in quotes."""
    heading = text.partition("\n")[0]
    for sign, name in ((";", "semicolons"), ("\t", "tabs")):
        if sign in heading and "," not in heading:
            raise WrongUse(f"{path} has {name} between its columns; save it with commas")
    table = csv.DictReader(io.StringIO(text, newline=""))
    try:
        for row in table:
            surplus = [*row.pop(None, ()), row.pop("", None) or ""]
            if any(field.strip() for field in surplus):
                raise WrongUse(
                    f"{path}, line {table.line_num} has more fields than the heading; put texts with commas "
                    "in quotes"
                )
            yield table.line_num, row
    except csv.Error as error:
        raise WrongUse(f"{path} is not a CSV file ({error}); correct it") from error
