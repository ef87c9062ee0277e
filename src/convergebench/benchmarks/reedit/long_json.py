"""Rows of a JSON file that may be longer than memory: read one at a time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from convergebench.errors import WrongUse

_CHUNK = 1 << 22
_DECODER = json.JSONDecoder()


def rows_in(file: Path) -> Iterator[tuple[str, Any]]:
    """Each row with the name that it stands under: none in a list of rows, its key in an object of lists."""
    try:
        with file.open(encoding="utf-8-sig") as text:
            yield from _rows(_Reading(text))
    except OSError as error:
        raise WrongUse(f"cannot read {file}: {error.strerror}; check the path.") from error
    except (ValueError, RecursionError) as error:
        raise WrongUse(
            f"{file} is not a JSON list of rows, or an object of such lists ({error}); correct it."
        ) from error


def _rows(reading: _Reading) -> Iterator[tuple[str, Any]]:
    if reading.peek() == "[":
        yield from (("", row) for row in reading.entries())
    else:
        yield from ((name, row) for name in reading.names() for row in reading.entries())
    if reading.peek():
        raise ValueError("something follows its end")


class _Reading:
    """A place in the text, of which no more than the value being read is held."""

    def __init__(self, text: TextIO) -> None:
        self._text = text
        self._held = ""
        self._place = 0

    def peek(self) -> str:
        """The next sign that is no space; empty at the end."""
        while True:
            while self._place < len(self._held):
                if not self._held[self._place].isspace():
                    return self._held[self._place]
                self._place += 1
            if not self._read_on():
                return ""

    def entries(self) -> Iterator[Any]:
        """The values of the list that begins here."""
        self._take("[")
        if self.peek() != "]":
            yield self._value()
            while self.peek() == ",":
                self._take(",")
                yield self._value()
        self._take("]")

    def names(self) -> Iterator[str]:
        """The keys of the object that begins here; what each stands for must be read before the next."""
        self._take("{")
        if self.peek() != "}":
            yield self._key()
            while self.peek() == ",":
                self._take(",")
                yield self._key()
        self._take("}")

    def _key(self) -> str:
        key = self._value()
        self._take(":")
        return str(key)

    def _take(self, sign: str) -> None:
        if self.peek() != sign:
            raise ValueError(f"{sign} is not where it should be")
        self._place += 1

    def _value(self) -> Any:
        self.peek()
        while True:
            try:
                value, end = _DECODER.raw_decode(self._held, self._place)
            except json.JSONDecodeError:
                if not self._read_on():
                    raise
                continue
            # A number at the end of what is held may go on.
            if end < len(self._held) or not self._read_on():
                self._place = end
                return value

    def _read_on(self) -> bool:
        """As much again as is held, so that a long value is not tried too often."""
        rest = self._held[self._place :]
        more = self._text.read(max(_CHUNK, len(rest)))
        self._held, self._place = rest + more, 0
        return bool(more)
