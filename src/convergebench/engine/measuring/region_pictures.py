"""The pictures of chains that are measured by region, and what was found out about them, in caches."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TypeAlias

from convergebench.lru_cache import LruCache
from convergebench.metrics import MetricSet
from convergebench.metrics.regions import Footprint, LocatedEdit, ReferencePicture, edit_scope, locate_edit
from convergebench.picture import Picture, resized_to
from convergebench.types import Digest, PictureFacts, Pixels

EditKey: TypeAlias = tuple[Digest, Digest, str]
"""Input, forward picture and scope."""

_CACHED = 16 + 2 * (os.cpu_count() or 1)
"""Pictures that are being compared: those that wait in the queue are compared soon."""


class RegionPictures:
    """References, located edits and footprints. What is not cached is computed again."""

    def __init__(self, open_picture: Callable[[PictureFacts], Picture], metric_set: MetricSet) -> None:
        self.open = open_picture
        self._flip_against = metric_set.flip_against()
        self._lpips_against = metric_set.lpips_against()
        self._references: LruCache[Digest, ReferencePicture] = LruCache(count=_CACHED)
        self._edits: LruCache[EditKey, LocatedEdit] = LruCache(count=_CACHED + 4 * metric_set.batch_size)
        self._footprints: LruCache[EditKey, Footprint] = LruCache(count=4096)

    def located(self, source: Picture, input: Picture, forward: Picture, category: str) -> LocatedEdit:
        scope = edit_scope(category)
        key = (input.digest, forward.digest, scope)
        edit = self._edits.get(
            key, lambda: locate_edit(self.reference(source, input), self.fitted(source, forward), scope)
        )
        self._footprints.get(key, lambda: edit.footprint)
        return edit

    def footprint(
        self, source: Picture, input: PictureFacts, forward: PictureFacts, category: str
    ) -> Footprint:
        """Of an earlier round or turn."""
        known = self._footprints.find((input.digest, forward.digest, edit_scope(category)))
        if known is not None:
            return known
        return self.located(source, self.open(input), self.open(forward), category).footprint

    def reference(self, source: Picture, picture: Picture) -> ReferencePicture:
        return self._references.get(
            picture.digest,
            lambda: ReferencePicture(self.fitted(source, picture), self._flip_against, self._lpips_against),
        )

    def fitted(self, source: Picture, picture: Picture) -> Pixels:
        """In the source's size, as for all metrics."""
        width, height = source.size
        return resized_to(picture.pixels, width, height)

    def known_edit(self, key: EditKey) -> LocatedEdit | None:
        return self._edits.find(key)

    def known_footprint(self, key: EditKey) -> Footprint | None:
        return self._footprints.find(key)

    def add(self, key: EditKey, edit: LocatedEdit) -> None:
        self._edits.put(key, edit)
        self._footprints.put(key, edit.footprint)
