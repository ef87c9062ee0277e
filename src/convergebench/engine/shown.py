"""Stored pictures as judges are shown them: each shrunk and encoded once for all who ask for it."""

from __future__ import annotations

import io
import threading
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import replace

from PIL import Image

from convergebench.judges.asking import within
from convergebench.judges.rubric import PictureLimits
from convergebench.picture import SUFFIXES, Picture
from convergebench.store import PictureStore
from convergebench.types import Digest, PictureFacts

KEPT = 64


class Shown:
    """Gives a picture within limits; the least used are let go, so that memory does not grow."""

    def __init__(self, store: PictureStore) -> None:
        self._store = store
        self._kept: OrderedDict[tuple[Digest, PictureLimits], Picture] = OrderedDict()
        self._guard = threading.Lock()

    def __call__(self, digest: Digest, limits: PictureLimits) -> Picture:
        with self._guard:
            if (digest, limits) in self._kept:
                self._kept.move_to_end((digest, limits))
                return self._kept[digest, limits]
        picture = within(self._opened(digest), limits)
        shown = Picture(picture.facts, encoded=picture.encoded)  # without its pixels, which are large
        with self._guard:
            self._kept[digest, limits] = shown
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return shown

    def holds(self, digests: Iterable[Digest], limits: PictureLimits) -> bool:
        """Whether all of these can be had at once, without a look at the disk."""
        return all((digest, limits) in self._kept for digest in digests)

    def _opened(self, digest: Digest) -> Picture:
        """The picture with its size from the file's head: most fit as they are and need not be decoded."""
        for media_type in SUFFIXES:
            unsized = PictureFacts(digest, 0, 0, media_type)
            if self._store.holds(unsized):
                data = self._store.open(unsized).encoded
                with Image.open(io.BytesIO(data)) as head:
                    return Picture(replace(unsized, width=head.width, height=head.height), encoded=data)
        return self._store.load(digest)  # which says that it is not there
