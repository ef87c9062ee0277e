"""Small pictures for strips and grids, made once and kept by digest."""

from __future__ import annotations

import io
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from convergebench.picture import Picture
from convergebench.report._atomic import replacing
from convergebench.store import PictureStore
from convergebench.types import Digest

SIDE = 224
_AT_ONCE = 4


def thumbnail(picture: Picture) -> bytes:
    """A WebP file whose longer side has at most SIDE pixels."""
    from PIL import Image

    small = Image.fromarray(picture.pixels)
    small.thumbnail((SIDE, SIDE), Image.Resampling.LANCZOS, reducing_gap=2)
    file = io.BytesIO()
    small.save(file, "WEBP", quality=82, method=0)
    return file.getvalue()


def thumbnail_file(folder: Path, digest: Digest) -> Path:
    return folder / digest[:2] / f"{digest}.webp"


def keep_thumbnails(store: PictureStore, digests: set[Digest], folder: Path) -> None:
    """Make those that are not there yet."""
    absent = [digest for digest in sorted(digests) if not thumbnail_file(folder, digest).exists()]
    with ThreadPoolExecutor(_AT_ONCE) as threads:
        for _ in threads.map(lambda digest: _keep(store, digest, folder), absent):
            pass


def _keep(store: PictureStore, digest: Digest, folder: Path) -> None:
    content = thumbnail(store.load(digest))
    with replacing(thumbnail_file(folder, digest)) as part:
        part.write_bytes(content)
