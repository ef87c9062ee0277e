"""Tables as the template draws them: words, numbers, rules and shades."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Grid:
    """Plain text in rows of equal length. The template may break words, and never reads them as markup."""

    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    left: Sequence[int] = (0,)
    """Columns that hold words; the others hold numbers."""
    rules: Sequence[int] = ()
    """Rows with a line above them."""
    shades: Sequence[Sequence[float | None]] | None = None
    """How dark each cell is, 0 to 1."""
    turned: bool = False
    """Whether the headings of the numbers stand at an angle."""
    notes: Sequence[str] = field(default_factory=tuple)


def shaded(
    corner: str,
    rows: Sequence[str],
    columns: Sequence[str],
    cells: Sequence[Sequence[tuple[str, float | None]]],
) -> Grid:
    """Names down and across, and between them text on a shade."""
    return Grid(
        headings=[corner, *columns],
        rows=[[name, *(text for text, _ in line)] for name, line in zip(rows, cells, strict=True)],
        shades=[[None, *(shade for _, shade in line)] for line in cells],
        turned=True,
    )
