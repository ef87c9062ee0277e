"""Metrics with a cache of prepared sources."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from convergebench.errors import ConvergeBenchError
from convergebench.lru_cache import LruCache
from convergebench.metrics.base import (
    AnyRegistration,
    Family,
    MetricOptions,
    MetricUnavailable,
    Reading,
    Result,
)
from convergebench.types import Digest, MetricFacts, Pixels

PREPARED_BYTES = 256 * 2**20
"""Cache size for each metric. A source of one megapixel takes 3 MB for SSIM, 50 MB for MS-SSIM, 3 kB for
CLIP."""

_log = logging.getLogger("convergebench")


@dataclass(frozen=True)
class PixelPair:
    source: Digest
    source_pixels: Pixels
    result: Result


def reason_for(name: str, error: Exception) -> str:
    """The message shown for a metric that failed. Unexpected errors are logged in full."""
    if isinstance(error, ConvergeBenchError):
        return str(error)
    _log.warning("%s failed", name, exc_info=error)
    return f"{_failed(name)}{type(error).__name__}: {error}"


def is_failure(name: str, reason: str) -> bool:
    """Whether the reason is an unexpected error, which may not occur again."""
    return reason.startswith(_failed(name))


def _failed(name: str) -> str:
    return f"{name} failed: "


class MetricReader:
    """A family with a cache of prepared sources. It returns readings of its members, or one reason for
    all."""

    def __init__(
        self,
        registration: AnyRegistration,
        facts: tuple[MetricFacts, ...],
        options: MetricOptions,
        sources: int,
    ) -> None:
        self.facts = facts
        self._registration = registration
        self._options = options
        self._prepared: LruCache[Digest, Any] = LruCache(count=sources, max_bytes=PREPARED_BYTES)
        self._loading = threading.Lock()
        self._loaded: Family | str | None = None
        """The reason if it is unavailable: an exception would keep the frames it came from, and their
        pictures."""

    def read(self, pairs: Sequence[PixelPair | str]) -> list[Mapping[str, Reading] | str]:
        family = self._family()
        if isinstance(family, str):
            return [family] * len(pairs)
        readings: list[Mapping[str, Reading] | str] = [
            pair if isinstance(pair, str) else "" for pair in pairs
        ]
        good = {place: pair for place, pair in enumerate(pairs) if isinstance(pair, PixelPair)}
        for place, reading in zip(good, self._compare(family, list(good.values())), strict=True):
            readings[place] = reading
        return readings

    def is_available(self, name: str) -> bool:
        return not isinstance(self._family(), str)

    def _family(self) -> Family | str:
        with self._loading:
            if self._loaded is None:
                try:
                    self._loaded = self._registration.load_family(self._options)
                except MetricUnavailable as error:
                    self._loaded = str(error)
                except Exception as error:
                    self._loaded = reason_for(self._registration.name, error)
            return self._loaded

    def _compare(self, family: Family, pairs: Sequence[PixelPair]) -> list[Mapping[str, Reading] | str]:
        if not pairs:
            return []
        try:
            prepared = [
                self._prepared.get(pair.source, partial(family.prepare, pair.source_pixels)) for pair in pairs
            ]
            return list(family.compare(prepared, [pair.result for pair in pairs]))
        except Exception as error:
            if len(pairs) == 1:
                return [reason_for(self._registration.name, error)]
            return [reading for pair in pairs for reading in self._compare(family, [pair])]
