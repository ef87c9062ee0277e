"""A trajectory to take along: its source and returns as one picture for a paper, and as an animation."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from convergebench.picture import resized_to
from convergebench.types import Digest, Pixels

ExportKind: TypeAlias = Literal["png", "webp"]
EXPORT_KINDS: tuple[ExportKind, ...] = get_args(ExportKind)
SIDE = 480
"""The longer side of a frame, in pixels."""
_GAP, _BAND = 8, 22
_FRAME_MS, _LAST_MS = 600, 1500


@dataclass(frozen=True)
class StripExport:
    """The pictures of one trajectory with their labels, the source first."""

    frames: tuple[tuple[str, Digest], ...]

    @property
    def name(self) -> str:
        """Of its files, without the suffix; the last picture and their number identify the chain."""
        return f"{self.frames[-1][1]}-{len(self.frames)}"


def exported_strip(one: StripExport, kind: ExportKind, load: Callable[[Digest], Pixels]) -> bytes:
    """The file's content. Every picture is brought to the size of the source, as for the metrics."""
    height, width = load(one.frames[0][1]).shape[:2]
    scale = min(1.0, SIDE / max(height, width))
    size = max(1, round(width * scale)), max(1, round(height * scale))
    frames = [(label, _fitted(resized_to(load(digest), width, height), size)) for label, digest in one.frames]
    return _png(frames) if kind == "png" else _animation([_labelled(*frame) for frame in frames])


def _fitted(pixels: Pixels, size: tuple[int, int]) -> Pixels:
    import cv2
    import numpy as np

    return np.asarray(cv2.resize(pixels, size, interpolation=cv2.INTER_AREA), np.uint8)


def _labelled(label: str, pixels: Pixels) -> Pixels:
    """The picture under a band with its label."""
    import numpy as np
    from PIL import Image, ImageDraw

    height, width = pixels.shape[:2]
    sheet = Image.new("RGB", (width, height + _BAND), "white")
    sheet.paste(Image.fromarray(pixels), (0, _BAND))
    ImageDraw.Draw(sheet).text((4, 4), label, fill="black")
    return np.asarray(sheet, np.uint8)


def _png(frames: Sequence[tuple[str, Pixels]]) -> bytes:
    """One row."""
    from PIL import Image

    pictures = [Image.fromarray(_labelled(*frame)) for frame in frames]
    width, height = pictures[0].size
    sheet = Image.new("RGB", (len(pictures) * (width + _GAP) - _GAP, height), "white")
    for place, picture in enumerate(pictures):
        sheet.paste(picture, (place * (width + _GAP), 0))
    file = io.BytesIO()
    sheet.save(file, "PNG", compress_level=1)  # a third of the time of the default level
    return file.getvalue()


def _animation(frames: Sequence[Pixels]) -> bytes:
    """An animated WebP that repeats; the last frame stays longer."""
    from PIL import Image

    first, *others = (Image.fromarray(one) for one in frames)
    file = io.BytesIO()
    first.save(
        file, "WEBP", save_all=True, append_images=others, loop=0, quality=85, method=2,
        duration=[*[_FRAME_MS] * len(others), _LAST_MS],
    )  # fmt: skip
    return file.getvalue()
