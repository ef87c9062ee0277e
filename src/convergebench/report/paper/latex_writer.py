r"""The paper's text in LaTeX.

Nothing of a workspace is part of this source: it is in data.tex, tables/ and strips/, where every character
is escaped and printed.
"""

from __future__ import annotations

from collections.abc import Sequence

from convergebench.report.export.latex import latex_escaped
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
from convergebench.report.paper.formulas import latex_formula

_COMMANDS = {1: "section", 2: "subsection"}


def latex_source(blocks: Sequence[Block]) -> str:
    """A file with these blocks, for \\input."""
    return _inner(blocks) + "\n"


def _block(block: Block) -> str:
    match block:
        case SectionHeading(level, title, label):
            return rf"\{_COMMANDS[level]}{{{_text(title)}}}" + (rf"\label{{{label}}}" if label else "")
        case Paragraph(parts):
            return _text(parts)
        case Equation(source, label):
            mark = rf"\label{{{label}}}" if label else ""
            return f"\\begin{{equation}}{mark}\n  {latex_formula(source)}\n\\end{{equation}}"
        case BulletList(items):
            lines = "\n".join(rf"  \item {_text(item)}" for item in items)
            return f"\\begin{{itemize}}\n{lines}\n\\end{{itemize}}"
        case TableSlot(name, caption):
            return rf"\showtables{{{name}}}{{{_text(caption)}}}"
        case FigureSlot(name, caption):
            return rf"\showfigure{{{name}}}{{{_text(caption)}}}"
        case StripSlot(name):
            return rf"\showstrips{{{name}}}"
        case ListSlot(name):
            return rf"\showlist{{{name}}}"
        case Conditional(name, blocks):
            return f"\\when{{{name}}}{{%\n{_inner(blocks)}\n}}"
        case Abstract(blocks):
            return f"\\begin{{abstract}}\n{_inner(blocks)}\n\\end{{abstract}}"


def _inner(blocks: Sequence[Block]) -> str:
    return "\n\n".join(_block(block) for block in blocks)


def _text(parts: Inlines) -> str:
    return "".join(map(_inline, parts))


def _inline(part: Inline) -> str:
    match part:
        case Words(text):
            return _prose(text)
        case Strong(text):
            return rf"\textbf{{{_prose(text)}}}"
        case Emphasis(text):
            return rf"\emph{{{_prose(text)}}}"
        case Formula(source):
            return f"${latex_formula(source)}$"
        case Citation(keys):
            return rf"\cite{{{','.join(keys)}}}"
        case SectionReference(label):
            return rf"\autoref{{{label}}}"
        case SeeAlso(labels):
            return rf"\seealso{{{','.join(labels)}}}"
        case NamedClaims(name):
            return rf"\claims{{{name}}}"
        case NamedValue(name):
            return rf"\datum{{{name}}}"


def _prose(text: str) -> str:
    """Spaces at the ends belong to the text around it."""
    before = " " if text.startswith(" ") else ""
    after = " " if text.endswith(" ") and text.strip() else ""
    return before + latex_escaped(text.replace("'", "’")) + after
