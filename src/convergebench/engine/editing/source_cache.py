"""Source pictures, brought into the workspace and shared by the trajectories that start from them."""

from __future__ import annotations

import asyncio
from collections import OrderedDict

from convergebench.errors import BadPicture
from convergebench.picture import Picture
from convergebench.store import PictureStore
from convergebench.types import Digest, SourcePicture

KEPT_OPEN = 64


class SourceCache:
    """Opens each source once; the least used are let go, so that memory does not grow with the suite."""

    def __init__(self, store: PictureStore) -> None:
        self._store = store
        self._opened: OrderedDict[Digest, asyncio.Task[Picture]] = OrderedDict()

    async def open(self, source: SourcePicture) -> Picture:
        if source.digest not in self._opened:
            self._opened[source.digest] = asyncio.create_task(asyncio.to_thread(self._bring, source))
        self._opened.move_to_end(source.digest)
        opened = self._opened[source.digest]
        while len(self._opened) > KEPT_OPEN:
            self._opened.popitem(last=False)
        return await asyncio.shield(opened)

    def _bring(self, source: SourcePicture) -> Picture:
        picture = Picture.from_file(source.path)
        if picture.digest != source.digest:
            raise BadPicture(f"{source.path} was changed while it was in use; run the command again")
        plain = picture.normalised()
        self._store.put(plain)
        return plain
