"""The common style of tables in the terminal."""

from __future__ import annotations

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
