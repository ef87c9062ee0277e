"""Source pictures, brought into the workspace and shared by the trajectories that start from them."""

from __future__ import annotations

import asyncio

from convergebench.errors import BadPicture
from convergebench.lru_cache import LruCache
from convergebench.picture import Picture
from convergebench.store import PictureStore
from convergebench.types import Digest, SourcePicture

OPEN_SOURCES = 64


class SourceCache:
    """Opens each source once; the least recently used are dropped, so memory does not grow with the suite."""

    def __init__(self, store: PictureStore) -> None:
        self._store = store
        self._opened: LruCache[Digest, asyncio.Task[Picture]] = LruCache(count=OPEN_SOURCES)

    async def open(self, source: SourcePicture) -> Picture:
        opening = self._opened.get(
            source.digest, lambda: asyncio.create_task(asyncio.to_thread(self._import, source))
        )
        return await asyncio.shield(opening)

    def _import(self, source: SourcePicture) -> Picture:
        normalised = normalised_source(source)
        self._store.put(normalised)
        return normalised


def normalised_source(source: SourcePicture) -> Picture:
    """A source as it is edited."""
    picture = Picture.from_file(source.path)
    if picture.digest != source.digest:
        raise BadPicture(f"{source.path} changed while it was in use; run the command again")
    return picture.normalised()
