"""Masks of sets as black and white pictures, made when they are needed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from convergebench.suites._lazy_pictures import LazyPicture
from convergebench.suites._picture_files import source_in_bytes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def region_mask(mask: LazyPicture, source: LazyPicture) -> LazyPicture:
    """White where a mask picture marks the edit: where it is transparent; or white, if it is black and white;
    or else where it differs from the source, since some masks are painted over it."""
    return LazyPicture(mask.id, lambda: _written(_marked(mask.path, source.path)))


def _marked(mask: Path, source: Path) -> NDArray[np.bool_]:
    import numpy as np
    from PIL import Image

    with Image.open(mask) as opened:
        if "A" in opened.getbands() or "transparency" in opened.info:
            alpha = np.asarray(opened.convert("RGBA"))[..., 3]
            if alpha.min() < 255:
                return np.asarray(alpha < 128)
        pixels = np.asarray(opened.convert("RGB")).astype(int)
        size = opened.size
    if ((pixels < 16) | (pixels > 239)).mean() > 0.99 and np.ptp(pixels, axis=2).mean() < 1:
        return np.asarray(pixels.mean(axis=2) > 127)
    with Image.open(source) as opened:
        before = np.asarray(opened.convert("RGB").resize(size)).astype(int)
    return np.asarray(np.abs(pixels - before).max(axis=2) > 24)


def run_length_mask(id: str, runs: Sequence[int], side: int = 512) -> LazyPicture:
    """PIE-Bench's: start and length of each run of marked pixels, row by row. Its border counts as marked, as
    PIE-Bench's own program has it."""

    def locate() -> Path:
        import numpy as np

        marked = np.zeros(side * side, bool)
        for start, length in zip(runs[::2], runs[1::2], strict=True):
            marked[start : start + length] = True
        square = marked.reshape(side, side)
        square[[0, -1]] = square[:, [0, -1]] = True
        return _written(square)

    return LazyPicture(id, locate)


def _written(marked: NDArray[np.bool_]) -> Path:
    import numpy as np

    from convergebench.picture.stable_png import stable_png

    grey = np.where(marked, 255, 0).astype(np.uint8)
    return source_in_bytes(stable_png(np.repeat(grey[..., None], 3, axis=2))).path
