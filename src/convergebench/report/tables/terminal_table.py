"""The common style of tables in the terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from convergebench.shown_text import drawing_console

if TYPE_CHECKING:
    from rich.table import Table

INTERVALS, COUNTS = "intervals", "n of each mean"
_PARTS = {INTERVALS: " [", COUNTS: " ("}
"""What follows a number in its cell, and how it begins."""
_GAP = 2
"""Characters between columns."""
_NARROWEST_WORDS = 6


def terminal_table(title: str | None = None) -> Table:
    """A table without columns yet, with lines between its sections only."""
    from rich import box
    from rich.table import Table

    return Table(
        title=title,
        title_justify="left",
        title_style="bold",
        box=box.HORIZONTALS,
        padding=(0, 1, 0, 0),
        show_edge=False,
    )


def fitting_table(
    build: Callable[[Collection[str]], Table], optional: Sequence[str], width: int | None
) -> Table:
    """The table without as many of the optional parts as a width requires, in their order, and a caption that
    names them. `build` makes it without the parts that it is given."""
    table, omitted = build(()), list[str]()
    for part in optional:
        if width is None or _width(table) <= width:
            break
        omitted.append(part)
        table = build(omitted)
    if omitted:
        table.caption = f"Too narrow for: {', '.join(omitted)}. See --json."
        table.caption_justify = "left"
    return table


def fitted(table: Table, width: int | None, optional: Sequence[str] = ()) -> Table:
    """A table that is wider than this without as many of the optional columns as need be, in their order, and
    with a caption that names them. INTERVALS and COUNTS are parts of cells. Words fold, numbers do not."""
    from rich.table import Table

    if width is None or _width(table) <= width:
        return table
    columns, omitted = _contents(table), list[str]()
    for name in optional:
        if sum(map(_narrowest, columns)) <= width:
            break
        narrower = [one.without(name) for one in columns if one.heading != name]
        if narrower != columns:
            columns = narrower
            omitted.append(name)
    narrow = Table(
        title=table.title, title_justify="left", title_style=table.title_style, box=table.box,
        padding=table.padding, show_edge=table.show_edge,
    )  # fmt: skip
    for one in columns:
        justify: Literal["left", "right"] = "right" if one.is_number else "left"
        narrow.add_column(one.broken_heading, justify=justify, no_wrap=one.is_number, overflow="fold")
    for row, cells in zip(table.rows, zip(*(one.cells for one in columns), strict=True), strict=True):
        narrow.add_row(*cells, style=row.style, end_section=row.end_section)
    if omitted:
        narrow.caption = f"Too narrow for: {', '.join(filter(None, omitted))}. See --json."
        narrow.caption_justify = "left"
    return narrow


@dataclass(frozen=True)
class _ColumnContent:
    heading: str
    is_number: bool
    cells: Sequence[str]

    def without(self, part: str) -> _ColumnContent:
        sign = _PARTS.get(part)
        return replace(self, cells=[cell.partition(sign)[0] for cell in self.cells]) if sign else self

    @property
    def broken_heading(self) -> str:
        if not self.is_number:
            return self.heading
        return self.heading.replace(" %", "\N{NO-BREAK SPACE}%").replace(" ", "\n")


def _contents(table: Table) -> list[_ColumnContent]:
    return [
        _ColumnContent(str(one.header), one.justify == "right", [str(cell) for cell in one.cells])
        for one in table.columns
    ]


def _narrowest(column: _ColumnContent) -> int:
    longest = max(map(len, (*column.broken_heading.split("\n"), *column.cells)))
    return _GAP + (longest if column.is_number else min(longest, _NARROWEST_WORDS))


def _width(table: Table) -> int:
    """In characters, with nothing folded."""
    return drawing_console(sys.stdout, width=1000).measure(table).maximum
