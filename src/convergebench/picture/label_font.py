"""The font of what is written below pictures."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL import ImageFont


@cache
def label_font(size: int) -> ImageFont.FreeTypeFont:
    """Matplotlib's, which has the letters of most alphabets; Pillow's own has those of English alone."""
    import matplotlib
    from PIL import ImageFont

    return ImageFont.truetype(Path(matplotlib.get_data_path(), "fonts/ttf/DejaVuSans.ttf"), size)
