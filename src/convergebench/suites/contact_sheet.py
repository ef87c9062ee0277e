"""All pictures of a suite on one sheet, by kind, each with its name and number of edits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

from convergebench.types import SourcePicture, Suite

if TYPE_CHECKING:
    from PIL import Image as PILImage

    from convergebench.picture import Picture

_MARGIN = 12
_HEADING_HEIGHT = 40
_LABEL_HEIGHT = 40
_KINDS_FIRST = ("portrait", "object", "scene")


@dataclass(frozen=True)
class _Layout:
    columns: int
    cell: int

    @property
    def width(self) -> int:
        return self.columns * (self.cell + _MARGIN) + _MARGIN

    @property
    def row_height(self) -> int:
        return self.cell + _LABEL_HEIGHT + _MARGIN

    def height(self, groups: dict[str, list[SourcePicture]]) -> int:
        rows = sum(ceil(len(group) / self.columns) for group in groups.values())
        return _MARGIN + len(groups) * _HEADING_HEIGHT + rows * self.row_height


def contact_sheet(suite: Suite) -> Picture:
    """Large cells for a few pictures, smaller ones for many."""
    import numpy as np
    from PIL import Image

    from convergebench.picture import Picture

    groups = _by_kind(suite)
    count = sum(len(group) for group in groups.values())
    layout = _Layout(min(5, count), 240) if count <= 25 else _Layout(10, 176)
    edits = Counter(case.source.id for case in suite.cases)
    sheet = Image.new("RGB", (layout.width, layout.height(groups)), "white")
    top = _MARGIN
    for kind, group in groups.items():
        _write_heading(sheet, kind, len(group), top)
        top += _HEADING_HEIGHT
        for position, source in enumerate(group):
            row, column = divmod(position, layout.columns)
            left = _MARGIN + column * (layout.cell + _MARGIN)
            sheet.paste(_cell(source, edits[source.id], layout.cell), (left, top + row * layout.row_height))
        top += ceil(len(group) / layout.columns) * layout.row_height
    return Picture.from_pixels(np.asarray(sheet))


def _by_kind(suite: Suite) -> dict[str, list[SourcePicture]]:
    sources = {source.id: source for case in suite.cases for source in case.sources}.values()
    kinds = dict.fromkeys((*_KINDS_FIRST, *(source.kind for source in sources)))
    groups = {kind: [source for source in sources if source.kind == kind] for kind in kinds}
    return {kind: group for kind, group in groups.items() if group}


def _write_heading(sheet: PILImage.Image, kind: str, count: int, top: int) -> None:
    from PIL import ImageDraw

    from convergebench.picture.label_font import label_font

    text = f"{kind}: {count} {'picture' if count == 1 else 'pictures'}"
    ImageDraw.Draw(sheet).text((_MARGIN, top + 6), text, fill="black", font=label_font(20))


def _cell(source: SourcePicture, edits: int, side: int) -> PILImage.Image:
    from PIL import Image, ImageDraw

    from convergebench.picture import Picture
    from convergebench.picture.label_font import label_font

    cell = Image.new("RGB", (side, side + _LABEL_HEIGHT), "white")
    picture = Image.fromarray(Picture.from_file(source.path).pixels)
    scale = side / max(picture.size)
    width, height = (max(1, round(length * scale)) for length in picture.size)
    cell.paste(
        picture.resize((width, height), Image.Resampling.LANCZOS),
        ((side - width) // 2, (side - height) // 2),
    )
    pen = ImageDraw.Draw(cell)
    font = label_font(13)
    pen.text((2, side + 3), _fitting(source.id, side - 4, font.getlength), fill="black", font=font)
    text = f"{edits} {'edit' if edits == 1 else 'edits'}"
    pen.text((2, side + 21), text, fill="dimgray", font=label_font(11))
    return cell


def _fitting(text: str, width: float, length_of: Callable[[str], float]) -> str:
    """The text, truncated to fit."""
    if length_of(text) <= width:
        return text
    kept = text
    while kept and length_of(f"{kept}…") > width:
        kept = kept[:-1]
    return f"{kept}…"
