"""A grid of pictures: one row per model, one column per case."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from convergebench.atomic_files import replacing
from convergebench.errors import WrongUse
from convergebench.picture.label_font import label_font
from convergebench.types import Pixels

if TYPE_CHECKING:
    from PIL import Image, ImageDraw

_BOX = 220
_GAP = 12
_MARGIN = 20
_LABEL_WIDTH = 170
_FONT_SIZE = 14
_LINE = 21
_LABEL_LINES, _CAPTION_LINES, _REASON_LINES = 4, 2, 8
_ELLIPSIS = "…"
_INK, _FAINT, _BORDER, _BACKDROP = "#1a1a1a", "#666666", "#bbbbbb", "#f2f2f2"


@dataclass(frozen=True)
class GridCell:
    """A picture and its caption; without pixels, the caption is the reason why it is missing."""

    pixels: Pixels | None
    caption: str


@dataclass(frozen=True)
class GridRow:
    label: str
    cells: Sequence[GridCell]


def picture_grid(rows: Sequence[GridRow], path: Path) -> None:
    """Draw the rows; every picture is scaled to fit the same box and keeps its aspect ratio."""
    from PIL import Image, ImageDraw

    columns = max((len(row.cells) for row in rows), default=0)
    if not columns:
        raise WrongUse("no pictures to draw: imported tables have none; choose another suite, model or case")
    captions = [max(len(_caption(cell)) for cell in row.cells) if row.cells else 0 for row in rows]
    heights = [_BOX + lines * _LINE + 2 * _GAP for lines in captions]
    width = 2 * _MARGIN + _LABEL_WIDTH + columns * (_BOX + _GAP) - _GAP
    sheet = Image.new("RGB", (width, 2 * _MARGIN + sum(heights) - 2 * _GAP), "white")
    draw = ImageDraw.Draw(sheet)
    top = _MARGIN
    for row, height in zip(rows, heights, strict=True):
        label = _wrapped(row.label, _LABEL_WIDTH - _GAP, _LABEL_LINES)
        _write(draw, label, (_MARGIN, top + (_BOX - len(label) * _LINE) // 2), _INK)
        for place, cell in enumerate(row.cells):
            _draw_cell(sheet, draw, cell, (_MARGIN + _LABEL_WIDTH + place * (_BOX + _GAP), top))
        top += height
    with replacing(path) as part:
        sheet.save(part)


def _draw_cell(
    sheet: Image.Image, draw: ImageDraw.ImageDraw, cell: GridCell, corner: tuple[int, int]
) -> None:
    left, top = corner
    box = (left, top, left + _BOX - 1, top + _BOX - 1)
    if cell.pixels is None:
        draw.rectangle(box, fill="white", outline=_BORDER)
        reason = _wrapped(cell.caption, _BOX - 2 * _GAP, _REASON_LINES)
        _write(draw, reason, (left + _GAP, top + (_BOX - len(reason) * _LINE) // 2), _FAINT)
        return
    draw.rectangle(box, fill=_BACKDROP)
    picture = _fitted(cell.pixels)
    sheet.paste(picture, (left + (_BOX - picture.width) // 2, top + (_BOX - picture.height) // 2))
    _write(draw, _caption(cell), (left, top + _BOX + _GAP // 3), _INK)


def _fitted(pixels: Pixels) -> Image.Image:
    from PIL import Image

    height, width = pixels.shape[:2]
    scale = _BOX / max(height, width)
    size = max(1, round(width * scale)), max(1, round(height * scale))
    return Image.fromarray(pixels).resize(size, Image.Resampling.LANCZOS)


def _caption(cell: GridCell) -> list[str]:
    return [] if cell.pixels is None else _wrapped(cell.caption, _BOX, _CAPTION_LINES)


def _write(draw: ImageDraw.ImageDraw, lines: Sequence[str], corner: tuple[int, int], colour: str) -> None:
    left, top = corner
    for place, line in enumerate(lines):
        draw.text((left, top + place * _LINE), line, fill=colour, font=label_font(_FONT_SIZE))


def _wrapped(text: str, width: int, most: int) -> list[str]:
    """Break the text into a limited number of lines of this width; text that does not fit ends in an
    ellipsis.

    Ids contain no spaces, so a line may also end after a slash, hyphen or underscore.
    """
    lines = [""]
    for piece in re.findall(r"[^\s/_-]+[\s/_-]*|[\s/_-]+", " ".join(text.split())):
        if lines[-1] and label_font(_FONT_SIZE).getlength((lines[-1] + piece).rstrip()) > width:
            lines.append("")
        lines[-1] += piece
    shown = [_cut(line.rstrip(), width) for line in lines[:most]]
    if len(lines) > most:
        shown[-1] = _cut(shown[-1] + _ELLIPSIS, width)
    return shown


def _cut(line: str, width: int) -> str:
    if label_font(_FONT_SIZE).getlength(line) <= width:
        return line
    while line and label_font(_FONT_SIZE).getlength(line + _ELLIPSIS) > width:
        line = line[:-1]
    return line + _ELLIPSIS
