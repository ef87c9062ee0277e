r"""What was computed, in LaTeX: data.tex with words and sentences, and one file for each table and strip.

Every text is escaped and printed as it is. Characters that the fonts of pdfLaTeX lack are printed by LuaLaTeX
and XeLaTeX, and stand as their code in pdfLaTeX.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from convergebench.report.export.latex import latex_escaped
from convergebench.report.paper.content import PaperContent, shown_text
from convergebench.report.paper.grids import Grid, pieces
from convergebench.report.paper.pictures import PaperPicture, Strip

_LONG = 18
"""Words of as many characters may break."""
_BREAKS = re.compile(r"(?<=[-_/@.:=,&?])(?=.)")
_UNBROKEN = re.compile(r".{1,16}")
_FOREIGN = re.compile("[^\x00-\x7f\xa1-\xac\xae-\xff‘’“”–—…€™ŒœŠšŽžŸĄąĆćČčĘęŁłŃńŐőŘřŚśŤťŮůŰűŹźŻż]")
"""What neither ASCII nor the T1 encoding has."""
_PAGE, _COLUMN = 112, 54
"""Characters in the width of a page and of a column."""
_WRAPPED = 14
"""Texts that are longer may wrap."""
_FEWEST_PLACES = 5
"""Pictures of a strip are as large as if it had at least so many."""


def latex_text(text: str) -> str:
    r"""
    >>> latex_text("50 % of a_b, 帽")
    '50 \\% of a\\_b, \\otherscript{帽}{5E3D}'
    """
    escaped = " ".join(_word(word) for word in shown_text(text).split(" "))
    return _FOREIGN.sub(_other_script, escaped)


def data_source(content: PaperContent) -> str:
    """data.tex, which is read before the class: it chooses one or two columns."""
    part = content.part
    authors = r" \and ".join(map(latex_text, content.authors))
    lines = [
        "% Written by convergebench paper, and renewed each time.",
        *([r"\PassOptionsToClass{twocolumn}{article}"] if content.template == "twocolumn" else []),
        _command("newcommand", r"\papertitle", latex_text(content.title)),
        _command("newcommand", r"\paperauthors", authors),
        _command("newcommand", r"\paperdate", latex_text(content.date)),
        _command("newcommand", r"\papersuite", latex_text(content.suite)),
        _command("newcommand", r"\paperversion", latex_text(content.version)),
        *(_definition("there", name, "") for name in content.there),
        *(_definition("datum", name, latex_text(value)) for name, value in part.values.items()),
        *(_definition("claims", name, " ".join(map(latex_text, said))) for name, said in part.claims.items()),
        *(_definition("list", name, _items(items)) for name, items in part.lists.items()),
        *(_definition("figure", name, figure.file) for name, figure in part.figures.items()),
        *(_definition("float", name, _float("figure", figure.wide)) for name, figure in part.figures.items()),
    ]
    return "\n".join(lines) + "\n"


def table_source(name: str, grids: Sequence[Grid]) -> str:
    r"""The tables of one name, for \showtables."""
    found = [piece for grid in grids for piece in pieces(grid)]
    return "\n".join(
        _command(
            "papertable",
            _float("table", grid.wide),
            "" if place else f"tab-{name}",
            " (continued)" if place else "",
            latex_text(grid.caption),
            f"%\n{_tabular(grid)}",
            "".join(_command("papernote", latex_text(note)) for note in grid.notes),
        )
        for place, grid in enumerate(found)
    )


def strips_source(name: str, strips: Sequence[Strip]) -> str:
    r"""The strips of one name, for \showstrips."""
    return "\n".join(
        _command(
            "paperstrip",
            "" if place else f"fig-{name}",
            latex_text(strip.caption),
            f"%\n{_pictures(strip.pictures)}",
        )
        for place, strip in enumerate(strips)
    )


def _word(word: str) -> str:
    if len(word) < _LONG:
        return latex_escaped(word)
    parts = [part for piece in _BREAKS.split(word) for part in _UNBROKEN.findall(piece)]
    return r"\allowbreak{}".join(map(latex_escaped, parts))


def _other_script(found: re.Match[str]) -> str:
    return _command("otherscript", found.group(), f"{ord(found.group()):04X}")


def _command(name: str, *arguments: str) -> str:
    return f"\\{name}" + "".join(f"{{{one}}}" for one in arguments)


def _definition(kind: str, name: str, text: str) -> str:
    return rf"\expandafter\def\csname {kind}-{name}\endcsname{{{text}}}"


def _items(items: Sequence[str]) -> str:
    return "".join(rf"\item {latex_text(item)} " for item in items)


def _float(kind: str, wide: bool) -> str:
    return f"{kind}*" if wide else kind


def _tabular(grid: Grid) -> str:
    headings = [
        _command("turned", latex_text(text)) if grid.turned and place else latex_text(text)
        for place, text in enumerate(grid.headings)
    ]
    lines = [rf"\begin{{tabular}}{{{_columns(grid)}}}", r"\toprule", _row(headings), r"\midrule"]
    for number, row in enumerate(grid.rows):
        if number in grid.rules:
            lines.append(r"\midrule")
        shades = grid.shades[number] if grid.shades else [None] * len(row)
        lines.append(_row([_cell(text, shade) for text, shade in zip(row, shades, strict=True)]))
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"])


def _columns(grid: Grid) -> str:
    """Texts wrap if the table is wider than its place."""
    widths, room = grid.widths(), _PAGE if grid.wide else _COLUMN
    wrapped = [place for place in grid.left if widths[place] > _WRAPPED]
    taken = sum(width + 2 for place, width in enumerate(widths) if place not in wrapped)
    wanted = sum(widths[place] for place in wrapped)
    if taken + wanted <= room or not wrapped:
        return "".join("l" if place in grid.left else "r" for place in range(len(widths)))
    free = max(room - taken - 2 * len(wrapped), 12 * len(wrapped))
    shares = {place: max(min(widths[place], 60) * free / _capped(widths, wrapped), 9) for place in wrapped}
    return "".join(
        rf"L{{{shares[place] / room:.3f}}}" if place in shares else "l" if place in grid.left else "r"
        for place in range(len(widths))
    )


def _capped(widths: Sequence[int], wrapped: Sequence[int]) -> int:
    """One very long text must not take the room of all others."""
    return sum(min(widths[place], 60) for place in wrapped)


def _row(cells: Sequence[str]) -> str:
    line = " & ".join(cells)
    # After the end of a row, a star or a bracket would be read as its argument.
    guard = "{}" if line.startswith(("*", "[")) else ""
    return rf"{guard}{line} \\"


def _cell(text: str, shade: float | None) -> str:
    if shade is None:
        return latex_text(text)
    colour = "white" if shade > 0.62 else "black"
    return rf"\cellcolor[gray]{{{1 - 0.7 * shade:.2f}}}\textcolor{{{colour}}}{{{latex_text(text)}}}"


def _pictures(pictures: Sequence[PaperPicture]) -> str:
    if not pictures:
        return r"\emph{No pictures.}"
    count = len(pictures)
    width = f"{0.97 / max(count, _FEWEST_PLACES) - 0.006:.3f}"
    shown = " & ".join(_picture(one) for one in pictures)
    labels = " & ".join(latex_text(one.label) for one in pictures)
    columns = rf"@{{}}*{{{count}}}{{M{{{width}}}}}@{{}}"
    return f"\\begin{{tabular}}{{{columns}}}\n{shown} \\\\\n{labels} \\\\\n\\end{{tabular}}"


def _picture(picture: PaperPicture) -> str:
    if picture.file is None:
        return _command("nopicture", latex_text(picture.reason))
    return _command("chainpicture", picture.file)


def sources_of(content: PaperContent) -> Iterator[tuple[str, str]]:
    """Every file with computed content, by its place in the folder."""
    yield "data.tex", data_source(content)
    for name, grids in content.part.tables.items():
        yield f"tables/{name}.tex", table_source(name, grids)
    for name, strips in content.part.strips.items():
        yield f"strips/{name}.tex", strips_source(name, strips)
