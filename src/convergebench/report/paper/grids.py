"""Tables as the template draws them: text, numbers, rules and shades."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Grid:
    """Plain text in rows of equal length. The template may hyphenate it, and never interprets it as
    markup."""

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
