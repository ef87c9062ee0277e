"""The text of the paper as data: blocks and inline parts, which a writer for each format renders.

Text is fixed. Whatever comes from a workspace is referred to by name: a claim is a sentence computed from the
results, a value a word such as the name of the metric.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True)
class Words:
    text: str


@dataclass(frozen=True)
class Strong:
    text: str


@dataclass(frozen=True)
class Emphasis:
    text: str


@dataclass(frozen=True)
class Formula:
    """In Typst's notation; `formulas.py` has the same in LaTeX's."""

    source: str


@dataclass(frozen=True)
class Citation:
    keys: tuple[str, ...]


@dataclass(frozen=True)
class SectionReference:
    label: str


@dataclass(frozen=True)
class SeeAlso:
    """Tables and figures to look at; those that the results do not have are left out."""

    labels: tuple[str, ...]


@dataclass(frozen=True)
class NamedClaims:
    name: str


@dataclass(frozen=True)
class NamedValue:
    name: str


Inline: TypeAlias = (
    Words | Strong | Emphasis | Formula | Citation | SectionReference | SeeAlso | NamedClaims | NamedValue
)
Inlines: TypeAlias = tuple[Inline, ...]


@dataclass(frozen=True)
class SectionHeading:
    level: int
    title: Inlines
    label: str = ""


@dataclass(frozen=True)
class Paragraph:
    parts: Inlines


@dataclass(frozen=True)
class Equation:
    source: str
    label: str = ""


@dataclass(frozen=True)
class BulletList:
    items: tuple[Inlines, ...]


@dataclass(frozen=True)
class TableSlot:
    """The tables of this name, if there are any; without a caption, each has its own."""

    name: str
    caption: Inlines = ()


@dataclass(frozen=True)
class FigureSlot:
    name: str
    caption: Inlines


@dataclass(frozen=True)
class StripSlot:
    """Strips of pictures; each has its own caption."""

    name: str


@dataclass(frozen=True)
class ListSlot:
    """Computed sentences as a list."""

    name: str


@dataclass(frozen=True)
class Conditional:
    """Blocks that are shown only if the results have what is named."""

    name: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Abstract:
    blocks: tuple[Block, ...]


Block: TypeAlias = (
    SectionHeading
    | Paragraph
    | Equation
    | BulletList
    | TableSlot
    | FigureSlot
    | StripSlot
    | ListSlot
    | Conditional
    | Abstract
)
