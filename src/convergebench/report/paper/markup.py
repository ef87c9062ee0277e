"""The markup of the paper's text, read into blocks.

Blocks are separated by empty lines. `# Title {#label}` is a heading, `$$ … $$ {#label}` an equation, `- …` an
item of a list; `::table`, `::figure`, `::strips` and `::list` mark where results belong; `::when NAME` and
`::abstract` end with `::end`. In a line, `**strong**`, `_emphasis_`, `$formula$`, `[@key @key]` citations,
`[#label]` sections, `{=name}` claims, `{name}` values and `{see tab-name fig-name}`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from convergebench.report.paper.blocks import (
    Abstract,
    Block,
    BulletList,
    Citation,
    Conditional,
    Emphasis,
    Equation,
    FigureSlot,
    Formula,
    Inline,
    Inlines,
    ListSlot,
    NamedClaims,
    NamedValue,
    Paragraph,
    SectionHeading,
    SectionReference,
    SeeAlso,
    StripSlot,
    Strong,
    TableSlot,
    Words,
)

TEXT = Path(__file__).parent / "text"
SECTIONS = ("introduction", "related", "method", "experiments", "analysis", "discussion", "appendix")
_INLINE = re.compile(
    r"\*\*(?P<strong>.+?)\*\*|(?<!\w)_(?P<emphasis>[^_]+)_(?!\w)|\$(?P<formula>.+?)\$|\[@(?P<cite>[^\]]+)\]"
    r"|\[#(?P<section>[\w-]+)\]|\{=(?P<claims>[\w-]+)\}|\{see (?P<see>[^}]+)\}|\{(?P<value>[\w-]+)\}"
)
_LABEL = re.compile(r"\s*\{#([\w-]+)\}\s*$")


@cache
def section(name: str) -> tuple[Block, ...]:
    """The blocks of a section of the paper."""
    return blocks_of((TEXT / f"{name}.md").read_text(encoding="utf-8"))


def blocks_of(text: str) -> tuple[Block, ...]:
    parts = iter([part.strip("\n") for part in re.split(r"\n\s*\n", text) if part.strip()])
    return tuple(_blocks(parts))


def _blocks(parts: Iterator[str]) -> Iterator[Block]:
    """The blocks up to the end of the text, or up to `::end`."""
    for part in parts:
        if part == "::end":
            return
        if part == "::abstract":
            yield Abstract(tuple(_blocks(parts)))
        elif part.startswith("::when "):
            yield Conditional(part.removeprefix("::when "), tuple(_blocks(parts)))
        else:
            yield _block(part)


def _block(part: str) -> Block:
    if part.startswith("::"):
        return _slot(part)
    if part.startswith("#"):
        marks, _, title = part.partition(" ")
        return SectionHeading(len(marks), inlines(_LABEL.sub("", title)), _label(title))
    if part.startswith("$$"):
        source = _LABEL.sub("", part).strip().removeprefix("$$").removesuffix("$$")
        return Equation(source.strip(), _label(part))
    if part.startswith("- "):
        items = re.split(r"\n- ", part.removeprefix("- "))
        return BulletList(tuple(inlines(item) for item in items))
    return Paragraph(inlines(part))


def _slot(part: str) -> Block:
    word, _, rest = part.removeprefix("::").partition(" ")
    name, _, caption = rest.partition(" ")
    match word:
        case "table":
            return TableSlot(name, inlines(caption))
        case "figure":
            return FigureSlot(name, inlines(caption))
        case "strips":
            return StripSlot(name)
        case "list":
            return ListSlot(name)
    raise ValueError(f"there is no ::{word}")


def _label(text: str) -> str:
    found = _LABEL.search(text)
    return found.group(1) if found else ""


def inlines(text: str) -> Inlines:
    """The parts of a text; line breaks are spaces."""
    joined = " ".join(text.split())
    found: list[Inline] = []
    end = 0
    for match in _INLINE.finditer(joined):
        if match.start() > end:
            found.append(Words(joined[end : match.start()]))
        found.append(_inline(match))
        end = match.end()
    if end < len(joined):
        found.append(Words(joined[end:]))
    return tuple(found)


def _inline(match: re.Match[str]) -> Inline:
    text = match.group(match.lastgroup or "value")
    match match.lastgroup:
        case "strong":
            return Strong(text)
        case "emphasis":
            return Emphasis(text)
        case "formula":
            return Formula(text)
        case "cite":
            return Citation(tuple(key.removeprefix("@") for key in text.split()))
        case "section":
            return SectionReference(text)
        case "claims":
            return NamedClaims(text)
        case "see":
            return SeeAlso(tuple(text.split()))
    return NamedValue(text)
