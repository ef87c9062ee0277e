"""A part of the paper's content: what one kind of result contributes to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from convergebench.report.paper.grids import Grid
from convergebench.report.paper.pictures import Strip


@dataclass(frozen=True)
class DrawnFigure:
    file: str
    """In the paper's folder."""
    wide: bool
    """Whether it spans both columns."""


@dataclass(frozen=True)
class PaperPart:
    """Everything by the names that the text refers to. Nothing is escaped yet."""

    names: tuple[str, ...] = ()
    """What the text may ask for with `::when`."""
    values: Mapping[str, str] = field(default_factory=dict)
    claims: Mapping[str, Sequence[str]] = field(default_factory=dict)
    tables: Mapping[str, Sequence[Grid]] = field(default_factory=dict)
    figures: Mapping[str, DrawnFigure] = field(default_factory=dict)
    strips: Mapping[str, Sequence[Strip]] = field(default_factory=dict)
    lists: Mapping[str, Sequence[str]] = field(default_factory=dict)


def joined(parts: Sequence[PaperPart]) -> PaperPart:
    """All parts together; claims of one name follow each other."""
    claims: dict[str, list[str]] = {}
    for part in parts:
        for name, said in part.claims.items():
            claims.setdefault(name, []).extend(said)
    return PaperPart(
        tuple(name for part in parts for name in part.names),
        {name: value for part in parts for name, value in part.values.items()},
        claims,
        {name: grids for part in parts for name, grids in part.tables.items() if grids},
        {name: figure for part in parts for name, figure in part.figures.items()},
        {name: strips for part in parts for name, strips in part.strips.items() if strips},
        {name: items for part in parts for name, items in part.lists.items() if items},
    )
