"""Derived files that a report stores for each picture: its thumbnail, and maps of change against its
sources."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path

from convergebench.atomic_files import write_whole
from convergebench.errors import WorkspaceError
from convergebench.metrics.flip import WorstBox
from convergebench.report.page.breakage import ReturnedRound, drawn_breakage
from convergebench.report.page.change_maps import map_name, small_map, thinned
from convergebench.report.page.crops import crop_name, crop_pair
from convergebench.report.page.exports import ExportKind, StripExport, exported_strip
from convergebench.report.page.thumbnails import thumbnail, thumbnail_name
from convergebench.results.footprints import Footprints
from convergebench.store import PictureStore
from convergebench.types import Digest, Pixels

log = logging.getLogger("convergebench")

THUMBNAILS = "thumbnails"
MAPS = "maps"
CROPS = "crops"
BREAKAGES = "breakages"
EXPORTS = "exports"
_AT_ONCE = 4
_SOURCES_IN_MEMORY = 64
_WHOLE_SOURCES_IN_MEMORY = 8


@dataclass
class Derived:
    """What a page shows of a picture besides its thumbnail."""

    sources: set[Digest] = field(default_factory=set)
    """A map of change against each of these."""
    crops: set[tuple[Digest, WorstBox]] = field(default_factory=set)
    """Beside the same place in each of these sources."""


class PictureCache:
    """Creates missing files, once, under one folder. Safe to share between threads."""

    def __init__(self, store: PictureStore, folder: Path) -> None:
        self.store = store
        self.folder = folder
        self._reported: set[Digest] = set()
        self._source = lru_cache(_SOURCES_IN_MEMORY)(self._thinned_source)
        self._whole_source = lru_cache(_WHOLE_SOURCES_IN_MEMORY)(lambda digest: store.load(digest).pixels)

    def keep(self, shown: Mapping[Digest, Derived]) -> None:
        """Create thumbnails of all pictures, and their maps and crops."""
        with ThreadPoolExecutor(_AT_ONCE) as threads:
            for _ in threads.map(self._keep, shown.items()):
                pass

    def keep_in_turn(self, shown: Iterable[tuple[Digest, Derived]]) -> None:
        """The same in one thread."""
        for one in shown:
            self._keep(one)

    def thumbnail_of(self, digest: Digest) -> bytes:
        return self._kept(self._thumbnail_file(digest), lambda: thumbnail(self.store.load(digest).pixels))

    def map_of(self, source: Digest, result: Digest) -> bytes:
        """The small map."""
        return self._kept(
            self._map_file(source, result), lambda: self._map(source, self.store.load(result).pixels)
        )

    def crop_of(self, source: Digest, result: Digest, box: WorstBox) -> bytes:
        """Where a result differs most, beside its source."""
        load = self.store.load
        return self._kept(
            self._crop_file(source, result, box),
            lambda: crop_pair(load(source).pixels, load(result).pixels, box),
        )

    def keep_breakages(self, rounds: Iterable[ReturnedRound], footprints: Footprints) -> None:
        """Draw what broke in each of these returns."""

        def keep(one: ReturnedRound) -> None:
            with suppress(WorkspaceError):  # a missing picture is reported with its thumbnail
                self.breakage_of(one, footprints)

        with ThreadPoolExecutor(_AT_ONCE) as threads:
            for _ in threads.map(keep, rounds):
                pass

    def breakage_of(self, one: ReturnedRound, footprints: Footprints) -> bytes:
        return self._kept(
            f"{BREAKAGES}/{one.name}",
            lambda: drawn_breakage(one, footprints, lambda digest: self.store.load(digest).pixels),
        )

    def export_of(self, one: StripExport, kind: ExportKind) -> bytes:
        return self._kept(
            f"{EXPORTS}/{one.name}.{kind}",
            lambda: exported_strip(one, kind, lambda digest: self.store.load(digest).pixels),
        )

    def maps_of(self, pairs: Iterable[tuple[Digest, Digest]]) -> list[bytes]:
        """The maps of all pairs whose pictures exist."""
        with ThreadPoolExecutor(_AT_ONCE) as threads:
            return [found for found in threads.map(self._map_if_there, pairs) if found]

    def _map_if_there(self, pair: tuple[Digest, Digest]) -> bytes | None:
        with suppress(WorkspaceError):
            return self.map_of(*pair)
        return None

    def _keep(self, one: tuple[Digest, Derived]) -> None:
        try:
            self._keep_whole(*one)
        except WorkspaceError as error:
            if one[0] not in self._reported:
                log.warning("the page is without a picture: %s", error)
            self._reported.add(one[0])

    def _keep_whole(self, digest: Digest, derived: Derived) -> None:
        small = self._thumbnail_file(digest)
        has_small = small in self._there
        unmapped = [one for one in derived.sources if self._map_file(one, digest) not in self._there]
        uncut = [one for one in derived.crops if self._crop_file(one[0], digest, one[1]) not in self._there]
        if has_small and not unmapped and not uncut:
            return
        pixels = self.store.load(digest).pixels
        if not has_small:
            self._write(small, thumbnail(pixels))
        for source in unmapped:
            self._write(self._map_file(source, digest), self._map(source, pixels))
        for source, box in uncut:
            cut = crop_pair(self._whole_source(source), pixels, box)
            self._write(self._crop_file(source, digest, box), cut)

    def look_again(self) -> None:
        """Other processes have created files."""
        self.__dict__.pop("_there", None)

    def _write(self, name: str, content: bytes) -> None:
        write_whole(self.folder / name, content)
        self._there.add(name)

    def _kept(self, name: str, make: Callable[[], bytes]) -> bytes:
        with suppress(FileNotFoundError):
            return (self.folder / name).read_bytes()
        content = make()
        with suppress(OSError):  # a read-only workspace has no cache
            self._write(name, content)
        return content

    @cached_property
    def _there(self) -> set[str]:
        """The files that exist, listed once: asking for each of tens of thousands takes longer."""
        kinds = (self.folder / kind for kind in (THUMBNAILS, MAPS, CROPS))
        return {
            f"{kind.name}/{start.name}/{name}"
            for kind in kinds
            if kind.is_dir()
            for start in kind.iterdir()
            if start.is_dir()
            for name in os.listdir(start)  # noqa: PTH208 - names alone
        }

    def _map(self, source: Digest, pixels: Pixels) -> bytes:
        small, size = self._source(source)
        return small_map(small, size, pixels)

    def _thinned_source(self, digest: Digest) -> tuple[Pixels, tuple[int, int]]:
        picture = self.store.load(digest)
        return thinned(picture.pixels), picture.size

    def _thumbnail_file(self, digest: Digest) -> str:
        return f"{THUMBNAILS}/{thumbnail_name(digest)}"

    def _crop_file(self, source: Digest, result: Digest, box: WorstBox) -> str:
        return f"{CROPS}/{crop_name(source, result, box)}"

    def _map_file(self, source: Digest, result: Digest) -> str:
        return f"{MAPS}/{map_name(source, result)}"
