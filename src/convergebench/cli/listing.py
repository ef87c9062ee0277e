"""Lists with a description at the end of each row, at any width of the terminal.

Plain text: importing rich takes longer than the rest of these commands.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from textwrap import wrap

import typer

from convergebench.cli.options import terminal_width

_NARROWEST_DESCRIPTION = 20


def print_listing(
    headings: Sequence[str], rows: Sequence[Sequence[str]], below: Callable[[Sequence[str]], str]
) -> None:
    """The last cell of a row is its description, which is wrapped. In a narrow terminal each row is its first
    cell, with what `below` makes of the others under it."""
    widths = [max(len(row[column]) for row in (headings, *rows)) for column in range(len(headings) - 1)]
    room = terminal_width() - sum(widths) - 2 * len(widths)
    if room < _NARROWEST_DESCRIPTION:
        for row in rows:
            print_entry(row[0], below(row[1:]))
        return
    for row in (headings, *rows):
        start = "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=False))
        for number, line in enumerate(wrap(row[-1], room, break_on_hyphens=False) or [""]):
            typer.echo(f"{' ' * len(start) if number else start}  {line}".rstrip())


def print_entry(name: str, text: str, indent: int = 2) -> None:
    """A name with a text below it."""
    for line in wrap(name, terminal_width(), break_on_hyphens=False):
        typer.echo(line)
    for line in wrap(text, terminal_width() - indent, break_on_hyphens=False):
        typer.echo(f"{' ' * indent}{line}")
