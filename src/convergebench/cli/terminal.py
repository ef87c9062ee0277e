"""What reaches the terminal: text from outside is escaped, and so is a letter that the stream cannot show."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import IO, TYPE_CHECKING, Any

from convergebench.shown_text import printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text


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


def _guarded(stream: Any) -> Any:
    if stream is None:  # closed by the shell
        return None
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="backslashreplace")
    return PrintableStream(stream)


def drawing_console(stream: Any, **options: Any) -> Console:
    """A rich console on this stream, past the guard that would escape its colours; it escapes the texts that
    it is given itself."""
    from rich.console import Console

    class PrintableConsole(Console):
        def render_str(self, text: str, **how: Any) -> Text:
            return super().render_str(printable(text), **how)

    return PrintableConsole(file=getattr(stream, "terminal", stream), **options)
