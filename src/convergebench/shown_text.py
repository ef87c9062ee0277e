"""Text as it is shown. What comes from outside is made harmless here; it is stored and sent unchanged."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import IO, TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

Cell: TypeAlias = str | int | float | None

_HARMFUL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff\ufff9-\ufffb]"
)
"""Control characters but for tab and line feed, marks that reorder what follows, and halves of characters."""
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def counted(number: int, noun: str, plural: str = "") -> str:
    """
    >>> counted(1, "edit"), counted(3, "edit"), counted(2, "trajectory", "trajectories")
    ('1 edit', '3 edits', '2 trajectories')
    """
    return f"{number} {noun if number == 1 else plural or f'{noun}s'}"


_LONGEST_REASON = 120


def shortened(reason: str) -> str:
    """The beginning of a long reason, such as a crash's; the workspace has all of it.

    >>> shortened("out of memory"), len(shortened("x" * 300))
    ('out of memory', 121)
    """
    text = " ".join(reason.split())
    return text if len(text) <= _LONGEST_REASON else f"{text[:_LONGEST_REASON].rstrip()}…"


def printable(text: str) -> str:
    """The text with an escape in place of each character that a terminal or an editor would obey.

    >>> printable("\\x1b[2Ja hat\\x00\\u202e"), printable("ꟻLIP, 帽子 🎩")
    ('\\\\x1b[2Ja hat\\\\x00\\\\u202e', 'ꟻLIP, 帽子 🎩')
    """
    return _HARMFUL.sub(_escape, text)


def _escape(found: re.Match[str]) -> str:
    code = ord(found.group())
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def markdown_text(text: str) -> str:
    """The text on one line of Markdown, with all markup escaped.

    >>> markdown_text("a [hat](http://x) | <b>")
    'a [hat]\\\\(http://x) \\\\| \\\\<b>'
    """
    plain = printable(" ".join(text.split()))
    for sign in "\\`*_<|":
        plain = plain.replace(sign, "\\" + sign)
    return plain.replace("](", "]\\(")


def csv_row(cells: Iterable[Cell]) -> list[Cell]:
    """The cells of a row for a file that people open in a spreadsheet: a text that would be taken for a
    formula begins with an apostrophe, a number is left as it is.

    >>> csv_row(["=1+1", "-2", -2.5, None, "a hat"])
    ["'=1+1", "'-2", -2.5, None, 'a hat']
    """
    return [_csv_text(cell) if isinstance(cell, str) else cell for cell in cells]


@lru_cache(maxsize=4096)  # most texts of a long table are in many of its rows
def _csv_text(text: str) -> str:
    return printable(f"'{text}" if text.startswith(_FORMULA) else text)


def unguarded(cell: str) -> str:
    """The text of a cell as it was before `csv_row`, but for escapes."""
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(_FORMULA) else cell


def csv_rows(rows: Iterable[Sequence[Cell]]) -> Iterable[list[Cell]]:
    return map(csv_row, rows)


class PrintableStream:
    """A text stream that escapes control characters. `terminal` is the stream itself, for what draws."""

    encoding = "utf-8"
    """It takes every letter. click would write past a stream that says it is ASCII."""

    def __init__(self, terminal: IO[str]) -> None:
        self.terminal = terminal

    def write(self, text: str) -> int:
        return self.terminal.write(printable(text))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.terminal, name)


@contextlib.contextmanager
def guarded_streams() -> Iterator[None]:
    """Escape what is printed meanwhile, whatever the encoding of the streams."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (_guarded(stream) for stream in before)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def open_closed_streams() -> None:
    """Open to nowhere what the shell has closed: otherwise the next file that is opened takes its place, and
    is printed into."""
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(number, True)
    os.close(number)
    sys.stdin = sys.stdin or os.fdopen(0)
    sys.stdout = sys.stdout or os.fdopen(1, "w", encoding="utf-8")
    sys.stderr = sys.stderr or os.fdopen(2, "w", encoding="utf-8")


def _guarded(stream: Any) -> Any:
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="backslashreplace")
    return PrintableStream(stream)


def drawing_console(stream: Any, **options: Any) -> Console:
    """A rich console on this stream, past the guard that would escape its colours; it escapes the texts that
    it is given itself, and takes no text for markup."""
    from rich.console import Console
    from rich.segment import Segment

    class PrintableConsole(Console):
        def render_str(self, text: str, **how: Any) -> Text:
            return super().render_str(printable(text), **how)

        def render(self, renderable: Any, options: Any = None) -> Iterable[Segment]:
            """Also what is no plain text, such as the columns of a progress bar."""
            for one in super().render(renderable, options):
                yield one if one.control else Segment(printable(one.text), one.style)

    file = getattr(stream, "terminal", stream)
    return PrintableConsole(file=file, markup=False, emoji=False, **options)
