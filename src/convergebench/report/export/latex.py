"""LaTeX tables with booktabs. Every character of every cell is printed, none is interpreted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from convergebench.atomic_files import replacing
from convergebench.report.tables.text_table import TextTable
from convergebench.shown_text import printable

_SHOWN = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "'": r"\textquotesingle{}",
    "`": r"\textasciigrave{}",
    "∞": r"$\infty$",
    "−": "$-$",
    "–": r"\textendash{}",
    "×": r"$\times$",
    "Δ": r"$\Delta$",
    "°": r"$^{\circ}$",
    "≤": r"$\le$",
    "≥": r"$\ge$",
    "√": r"$\surd$",
    "ꟻ": r"\reflectbox{F}",
}
_PREAMBLE = (
    "% Use with \\usepackage{booktabs}, \\usepackage{graphicx}, \\usepackage{textcomp} and",
    "% \\usepackage[T1]{fontenc}; names in other scripts need LuaLaTeX or XeLaTeX.",
)


def latex_escaped(text: str) -> str:
    r"""On one line, with all LaTeX special characters escaped.

    >>> latex_escaped("50 % of a_b & \\input{x}")
    '50 \\% of a\\_b \\& \\textbackslash{}input\\{x\\}'
    """
    line = printable(" ".join(text.split()))
    shown = "".join(_SHOWN.get(sign, sign) for sign in line if sign.isprintable())
    # Two hyphens would become a dash.
    return re.sub("-(?=-)", "-{}", shown)


def write_latex(tables: Sequence[TextTable], path: Path) -> Path:
    """All tables in one file, for use with \\input."""
    lines = [*_PREAMBLE, *(line for table in tables for line in _lines(table))]
    with replacing(path) as part:
        part.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def _lines(table: TextTable) -> Iterator[str]:
    columns = "".join("l" if place in table.left else "r" for place in range(len(table.headings)))
    yield ""
    yield r"\begin{table}"
    yield rf"  \caption{{{latex_escaped(table.title)}. {latex_escaped(table.explained)}}}"
    yield rf"  \label{{tab:{table.name}}}"
    yield r"  \centering"
    yield r"  \resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"
    yield rf"  \begin{{tabular}}{{{columns}}}"
    yield r"    \toprule"
    yield _row(table.headings)
    yield r"    \midrule"
    yield from map(_row, table.rows)
    yield r"    \bottomrule"
    yield r"  \end{tabular}}"
    yield from (rf"  \par\footnotesize {latex_escaped(note)}" for note in table.notes)
    yield r"\end{table}"


def _row(cells: Sequence[str]) -> str:
    line = " & ".join(map(latex_escaped, cells))
    # After the end of a row, a star or a bracket would be read as its argument.
    guard = "{}" if line.startswith(("*", "[")) else ""
    return f"    {guard}{line} \\\\"
