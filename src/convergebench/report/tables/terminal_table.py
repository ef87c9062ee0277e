"""The common style of tables in the terminal."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table


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


def _width(table: Table) -> int:
    """In characters, with nothing folded."""
    from rich.console import Console

    return Console(width=1000).measure(table).maximum
