"""Derived files that a report stores for each picture: its thumbnail, and maps of change against its
sources."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TypeVar

from convergebench.atomic_files import write_whole
from convergebench.errors import WorkspaceError
from convergebench.metrics.flip import WorstBox
from convergebench.report.page.breakage import ReturnedRound, drawn_breakage
from convergebench.report.page.change_maps import map_name, small_maps, thinned
from convergebench.report.page.crops import crop_name, crop_pair
from convergebench.report.page.exports import ExportKind, StripExport, exported_strip
from convergebench.report.page.thumbnails import thumbnail, thumbnail_name
from convergebench.results.footprints import Footprints
from convergebench.store import PictureStore
from convergebench.types import Digest, Pixels

log = logging.getLogger("convergebench")
_T = TypeVar("_T")

THUMBNAILS = "thumbnails"
MAPS = "maps"
CROPS = "crops"
BREAKAGES = "breakages"
EXPORTS = "exports"
_AT_ONCE = 4
_TOGETHER = 8
"""Pictures that are in memory together; neighbours have the same source."""
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
        self._place = folder.as_posix()
        self._reported: set[Digest] = set()
        self._source = lru_cache(_SOURCES_IN_MEMORY)(self._thinned_source)
        self._whole_source = lru_cache(_WHOLE_SOURCES_IN_MEMORY)(lambda digest: store.load(digest).pixels)

    def keep(self, shown: Mapping[Digest, Derived]) -> None:
        """Create thumbnails of all pictures, and their maps and crops."""
        with ThreadPoolExecutor(_AT_ONCE) as threads:
            for _ in threads.map(self._keep_some, _parts(list(shown.items()))):
                pass

    def keep_in_turn(self, shown: Sequence[tuple[Digest, Derived]]) -> None:
        """The same in one thread."""
        for some in _parts(shown):
            self._keep_some(some)

    def has_all(self, digest: Digest, derived: Derived) -> bool:
        """Whether nothing of this picture need be created."""
        return self._there.issuperset(
            (
                self._thumbnail_file(digest),
                *(self._map_file(source, digest) for source in derived.sources),
                *(self._crop_file(source, digest, box) for source, box in derived.crops),
            )
        )

    def thumbnail_of(self, digest: Digest) -> bytes:
        return self._kept(self._thumbnail_file(digest), lambda: thumbnail(self.store.load(digest).pixels))

    def map_of(self, source: Digest, result: Digest) -> bytes:
        """The small map."""
        return self._kept(
            self._map_file(source, result),
            lambda: small_maps(*self._source(source), [self.store.load(result).pixels])[0],
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

    def _keep_some(self, shown: Sequence[tuple[Digest, Derived]]) -> None:
        """Maps against one source are drawn together."""
        unmapped: dict[Digest, list[tuple[Digest, Pixels]]] = {}
        for digest, derived in shown:
            with self._reporting(digest):
                pixels = self._keep_one(digest, derived)
                if pixels is None:
                    continue
                for source in derived.sources:
                    if self._map_file(source, digest) not in self._there:
                        unmapped.setdefault(source, []).append((digest, pixels))
        for source, results in unmapped.items():
            with self._reporting(source):
                drawn = small_maps(*self._source(source), [pixels for _, pixels in results])
                for (digest, _), content in zip(results, drawn, strict=True):
                    self._write(self._map_file(source, digest), content)

    def _keep_one(self, digest: Digest, derived: Derived) -> Pixels | None:
        """Its thumbnail and crops; its pixels unless nothing of it is missing."""
        if self.has_all(digest, derived):
            return None
        pixels = self.store.load(digest).pixels
        small = self._thumbnail_file(digest)
        if small not in self._there:
            self._write(small, thumbnail(pixels))
        for source, box in derived.crops:
            name = self._crop_file(source, digest, box)
            if name not in self._there:
                self._write(name, crop_pair(self._whole_source(source), pixels, box))
        return pixels

    @contextmanager
    def _reporting(self, digest: Digest) -> Iterator[None]:
        """Goes on without a picture that is lost, which is said once."""
        try:
            yield
        except WorkspaceError as error:
            if digest not in self._reported:
                log.warning("the page is without a picture: %s", error)
            self._reported.add(digest)

    def look_again(self) -> None:
        """Other processes have created files."""
        self.__dict__.pop("_there", None)

    def _write(self, name: str, content: bytes) -> None:
        write_whole(f"{self._place}/{name}", content)
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

    def _thinned_source(self, digest: Digest) -> tuple[Pixels, tuple[int, int]]:
        picture = self.store.load(digest)
        return thinned(picture.pixels), picture.size

    def _thumbnail_file(self, digest: Digest) -> str:
        return f"{THUMBNAILS}/{thumbnail_name(digest)}"

    def _crop_file(self, source: Digest, result: Digest, box: WorstBox) -> str:
        return f"{CROPS}/{crop_name(source, result, box)}"

    def _map_file(self, source: Digest, result: Digest) -> str:
        return f"{MAPS}/{map_name(source, result)}"


def _parts(items: Sequence[_T]) -> Iterator[Sequence[_T]]:
    return (items[start : start + _TOGETHER] for start in range(0, len(items), _TOGETHER))
