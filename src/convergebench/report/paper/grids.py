"""Tables as a writer draws them: text, numbers, rules and shades."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

_MOST_ROWS = 42
"""More rows do not fit on a page with a caption and notes."""
_COLUMN = 56
"""Characters in the width of one of two columns."""
_WRAPPED = 24
"""A longer text wraps."""


@dataclass(frozen=True)
class Grid:
    """Plain text in rows of equal length. A writer may hyphenate it, and never interprets it as markup."""

    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    left: Sequence[int] = (0,)
    """Columns that contain text; the others contain numbers."""
    rules: Sequence[int] = ()
    """Rows with a rule above them."""
    shades: Sequence[Sequence[float | None]] | None = None
    """The darkness of each cell, 0 to 1."""
    turned: bool = False
    """Whether the headings of number columns are rotated."""
    notes: Sequence[str] = field(default_factory=tuple)
    caption: str = ""
    """For tables whose caption is not part of the text."""

    @property
    def wide(self) -> bool:
        """Whether it needs both columns of a page."""
        return sum(min(width, _WRAPPED) + 2 for width in self.widths()) > _COLUMN

    def widths(self) -> list[int]:
        """The longest text of each column, in characters."""
        lines = [*self.rows, self.headings] if not self.turned else [*self.rows, self.headings[:1]]
        return [
            max((len(line[place]) for line in lines if place < len(line)), default=3)
            for place in range(len(self.headings))
        ]


def shaded(
    corner: str,
    rows: Sequence[str],
    columns: Sequence[str],
    cells: Sequence[Sequence[tuple[str, float | None]]],
) -> Grid:
    """A matrix: row names, column names, and shaded cells with text."""
    return Grid(
        headings=[corner, *columns],
        rows=[[name, *(text for text, _ in line)] for name, line in zip(rows, cells, strict=True)],
        shades=[[None, *(shade for _, shade in line)] for line in cells],
        turned=True,
    )


def pieces(grid: Grid) -> list[Grid]:
    """The table in pieces that fit on a page; notes are below the last."""
    count = math.ceil(len(grid.rows) / _MOST_ROWS)
    size = math.ceil(len(grid.rows) / count) if count else 1
    found = []
    for start in range(0, len(grid.rows), size):
        end = min(start + size, len(grid.rows))
        found.append(
            replace(
                grid,
                rows=grid.rows[start:end],
                rules=[rule - start for rule in grid.rules if start < rule < end],
                shades=grid.shades and grid.shades[start:end],
                notes=grid.notes if end == len(grid.rows) else (),
            )
        )
    return found
