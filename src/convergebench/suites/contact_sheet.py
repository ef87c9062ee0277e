"""All pictures of a suite on one sheet, each with its name and kind."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

from convergebench.types import SourcePicture, Suite

if TYPE_CHECKING:
    from PIL import Image as PILImage

    from convergebench.picture import Picture

_COLUMNS = 5
_CELL = 240
_LABEL_HEIGHT = 44
_MARGIN = 12


def contact_sheet(suite: Suite) -> Picture:
    import numpy as np
    from PIL import Image

    from convergebench.picture import Picture

    sources = list({source.id: source for case in suite.cases for source in case.sources}.values())
    columns = min(_COLUMNS, len(sources))
    rows = ceil(len(sources) / columns)
    step_x, step_y = _CELL + _MARGIN, _CELL + _LABEL_HEIGHT + _MARGIN
    sheet = Image.new("RGB", (columns * step_x + _MARGIN, rows * step_y + _MARGIN), "white")
    for position, source in enumerate(sources):
        row, column = divmod(position, columns)
        sheet.paste(_cell(source), (_MARGIN + column * step_x, _MARGIN + row * step_y))
    return Picture.from_pixels(np.asarray(sheet))


def _cell(source: SourcePicture) -> PILImage.Image:
    from PIL import Image, ImageDraw, ImageFont

    from convergebench.picture import Picture

    cell = Image.new("RGB", (_CELL, _CELL + _LABEL_HEIGHT), "white")
    picture = Image.fromarray(Picture.from_file(source.path).pixels)
    scale = _CELL / max(picture.size)
    width, height = (max(1, round(side * scale)) for side in picture.size)
    cell.paste(
        picture.resize((width, height), Image.Resampling.LANCZOS),
        ((_CELL - width) // 2, (_CELL - height) // 2),
    )
    pen = ImageDraw.Draw(cell)
    pen.text((2, _CELL + 4), source.id, fill="black", font=ImageFont.load_default(16))
    pen.text((2, _CELL + 24), source.kind, fill="dimgray", font=ImageFont.load_default(13))
    return cell
