"""Stored pictures as judges are shown them: each shrunk and encoded once for all who ask for it."""

from __future__ import annotations

import io
from collections import OrderedDict
from dataclasses import replace

from PIL import Image

from convergebench.judges.asking import within
from convergebench.judges.base import JudgeImage
from convergebench.judges.rubric import PictureLimits
from convergebench.picture import SUFFIXES, Picture
from convergebench.store import PictureStore
from convergebench.types import Digest, PictureFacts

KEPT_BYTES = 32 * 1024 * 1024


class JudgeImageCache:
    """Gives a picture within limits; the least used are let go, so that memory does not grow. It is for one
    thread at a time."""

    def __init__(self, store: PictureStore) -> None:
        self._store = store
        self._kept: OrderedDict[tuple[Digest, PictureLimits], JudgeImage] = OrderedDict()
        self._kept_bytes = 0

    def __call__(self, digest: Digest, limits: PictureLimits) -> JudgeImage:
        if (digest, limits) in self._kept:
            self._kept.move_to_end((digest, limits))
            return self._kept[digest, limits]
        shown = JudgeImage.of(within(self._opened(digest), limits))
        self._kept[digest, limits] = shown
        self._kept_bytes += len(shown.encoded)
        while self._kept_bytes > KEPT_BYTES:
            _, gone = self._kept.popitem(last=False)
            self._kept_bytes -= len(gone.encoded)
        return shown

    def _opened(self, digest: Digest) -> Picture:
        """The picture with its size from the file's head: most fit as they are and need not be decoded."""
        for media_type in SUFFIXES:
            unsized = PictureFacts(digest, 0, 0, media_type)
            if self._store.holds(unsized):
                data = self._store.open(unsized).encoded
                with Image.open(io.BytesIO(data)) as head:
                    return Picture(replace(unsized, width=head.width, height=head.height), encoded=data)
        return self._store.load(digest)  # which says that it is not there
