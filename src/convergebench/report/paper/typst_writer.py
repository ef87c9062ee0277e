"""The paper's text in Typst.

Nothing of a workspace is part of this source: it is in data.json, and Typst shows text from there as it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

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

IMPORT = '#import "layout.typ": *\n\n'
_SPECIAL = re.compile(r"[\\#$*_`@<>\[\]~]")


def typst_source(blocks: Sequence[Block]) -> str:
    """A file with these blocks."""
    return IMPORT + "\n\n".join(_block(block) for block in blocks) + "\n"


def typst_escaped(text: str) -> str:
    """
    >>> typst_escaped("50 % of #a_b")
    '50 % of \\\\#a\\\\_b'
    """
    return _SPECIAL.sub(lambda found: f"\\{found.group()}", text)


def _block(block: Block) -> str:
    match block:
        case SectionHeading(level, title, label):
            return f"{'=' * level} {_text(title)}{f' <{label}>' if label else ''}"
        case Paragraph(parts):
            return _text(parts)
        case Equation(source, label):
            return f"$ {source} ${f' <{label}>' if label else ''}"
        case BulletList(items):
            return "\n".join(f"- {_text(item)}" for item in items)
        case TableSlot(name, caption):
            given = f", caption: [{_text(caption)}]" if caption else ""
            return f'#show-tables("{name}"{given})'
        case FigureSlot(name, caption):
            return f'#show-figure("{name}", [{_text(caption)}])'
        case StripSlot(name):
            return f'#show-strips("{name}")'
        case ListSlot(name):
            return f'#show-list("{name}")'
        case Conditional(name, blocks):
            return f'#when("{name}")[\n{_inner(blocks)}\n]'
        case Abstract(blocks):
            return f"#abstract[\n{_inner(blocks)}\n]"


def _inner(blocks: Sequence[Block]) -> str:
    return "\n\n".join(_block(block) for block in blocks)


def _text(parts: Inlines) -> str:
    return "".join(map(_inline, parts))


def _inline(part: Inline) -> str:
    match part:
        case Words(text):
            escaped = typst_escaped(text)
            # To Typst, a semicolon after a citation or a value is the end of that, and not shown.
            return f"\\{escaped}" if escaped.startswith(";") else escaped
        case Strong(text):
            return f"*{typst_escaped(text)}*"
        case Emphasis(text):
            return f"_{typst_escaped(text)}_"
        case Formula(source):
            return f"${source}$"
        case Citation(keys):
            return "".join(f"#cite(<{key}>)" for key in keys)
        case SectionReference(label):
            return f"#ref(<{label}>)"
        case SeeAlso(labels):
            quoted = ", ".join(f'"{label}"' for label in labels)
            return f"#see({quoted})"
        case NamedClaims(name):
            return f'#claims("{name}")'
        case NamedValue(name):
            return f'#value("{name}")'
