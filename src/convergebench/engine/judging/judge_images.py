"""Stored pictures as judges see them: each shrunk and encoded once for all questions that show it."""

from __future__ import annotations

import io
from collections.abc import Iterable
from dataclasses import replace

from convergebench.judges.asking import within
from convergebench.judges.base import JudgeImage
from convergebench.judges.rubric import PictureLimits
from convergebench.lru_cache import LruCache
from convergebench.picture import SUFFIXES, Picture, plain_size
from convergebench.store import PictureStore
from convergebench.types import Digest, PictureFacts

CACHE_BYTES = 32 * 1024 * 1024
KEPT_BYTES = 64 * 1024 * 1024


class JudgeImageCache:
    """Loads pictures for a judge, shrunk to its limits."""

    def __init__(self, store: PictureStore) -> None:
        self._store = store
        self._images: LruCache[tuple[Digest, PictureLimits, Digest | None], JudgeImage] = LruCache(
            max_bytes=CACHE_BYTES, size=lambda image: len(image.encoded)
        )
        self._kept: LruCache[Digest, Picture] = LruCache(
            max_bytes=KEPT_BYTES, size=lambda picture: len(picture.encoded)
        )

    def keep(self, pictures: Iterable[Picture]) -> None:
        """Pictures that have just been stored, and need not be read from the store while there is room."""
        for picture in pictures:
            self._kept.put(picture.digest, Picture(picture.facts, encoded=picture.encoded))

    def __call__(self, digest: Digest, limits: PictureLimits, like: Digest | None = None) -> JudgeImage:
        """`like` names the picture to whose size this one is resized first."""
        return self._images.get((digest, limits, like), lambda: self._encoded(digest, limits, like))

    def _encoded(self, digest: Digest, limits: PictureLimits, like: Digest | None) -> JudgeImage:
        image = JudgeImage.of(self._shown(digest, limits, like))
        _ = image.base64  # here, beside the event loop, in which requests are sent
        return image

    def _shown(self, digest: Digest, limits: PictureLimits, like: Digest | None) -> Picture:
        picture = self._opened(digest)
        if like is None or (size := self._opened(like).size) == picture.size:
            return within(picture, limits)
        import numpy as np
        from PIL import Image

        # Pillow's default filter, as the programs use it that this imitates.
        resized = Image.fromarray(picture.normalised().pixels).resize(size)
        return within(Picture.from_pixels(np.asarray(resized)), limits)

    def _opened(self, digest: Digest) -> Picture:
        """The picture, with its size read from the file header: most pictures fit as they are and need no
        decoding."""
        kept = self._kept.peek(digest)  # those that nobody has seen yet are to stay
        if kept is not None:
            return _sized(kept)
        for media_type in SUFFIXES:
            unsized = PictureFacts(digest, 0, 0, media_type)
            if self._store.holds(unsized):
                return _sized(self._store.open(unsized))
        return self._store.load(digest)  # raises the error for a missing picture


def _sized(picture: Picture) -> Picture:
    data = picture.encoded
    width, height = plain_size(data) or _size_in_header(data)
    return Picture(replace(picture.facts, width=width, height=height), encoded=data)


def _size_in_header(data: bytes) -> tuple[int, int]:
    from PIL import Image

    with Image.open(io.BytesIO(data)) as head:
        return head.size
