"""Measures results against their sources with any number of metrics."""

from __future__ import annotations

import logging
import math
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from convergebench.errors import ConvergeBenchError
from convergebench.metrics import _catalogue
from convergebench.metrics._kept import Kept
from convergebench.metrics.base import Family, MetricOptions, MetricUnavailable, Reading, Result
from convergebench.picture import Picture, resized_to
from convergebench.types import Digest, Measurement, MetricFacts, Pixels

PREPARED_BYTES = 256 * 2**20
"""For each metric; a source of one megapixel takes 22 MB under SSIM, 50 MB under MS-SSIM, 3 kB under CLIP."""

_log = logging.getLogger("convergebench")


@dataclass(frozen=True)
class _Pair:
    source: Digest
    source_pixels: Pixels
    result: Result


class Ruler:
    """Measures with the named metrics, families or dimensions; safe to share between threads.

    A metric is loaded when it is first needed. One that is unavailable, or fails on a pair, is missing there
    with the reason, and leaves the others as they are. Members of one family are read together.
    """

    def __init__(self, names: Sequence[str], options: MetricOptions | None = None, sources: int = 64) -> None:
        chosen = options or MetricOptions()
        wanted: dict[str, list[MetricFacts]] = {}
        for name in _catalogue.expand(names):
            wanted.setdefault(_catalogue.source_of(name), []).append(_catalogue.facts(name, chosen))
        self._gauges = [_Gauge(name, tuple(facts), chosen, sources) for name, facts in wanted.items()]

    @property
    def facts(self) -> tuple[MetricFacts, ...]:
        """What it measures with."""
        return tuple(facts for gauge in self._gauges for facts in gauge.facts)

    def can_measure(self, name: str) -> bool:
        """Whether the metric can be had here; loads it."""
        return any(gauge.is_available() for gauge in self._gauges if name in (f.name for f in gauge.facts))

    def measure(self, pairs: Sequence[tuple[Picture, Picture]]) -> list[dict[str, Measurement]]:
        """For each (reference, result) a measurement of every metric; results take the reference's size."""
        opened = [_open(reference, result) for reference, result in pairs]
        measured: list[dict[str, Measurement]] = [{} for _ in pairs]
        for gauge in self._gauges:
            for row, outcome in zip(measured, gauge.read(opened), strict=True):
                row.update({facts.name: _measurement(facts, outcome) for facts in gauge.facts})
        return measured


class _Gauge:
    """A family with the sources it has seen; it gives readings of its members, or one reason for all."""

    def __init__(
        self, name: str, facts: tuple[MetricFacts, ...], options: MetricOptions, sources: int
    ) -> None:
        self.facts = facts
        self._name = name
        self._options = options
        self._prepared = Kept(sources, PREPARED_BYTES)
        self._loading = threading.Lock()
        self._loaded: Family | MetricUnavailable | None = None

    def read(self, pairs: Sequence[_Pair | str]) -> list[Mapping[str, Reading] | str]:
        family = self._family()
        if isinstance(family, MetricUnavailable):
            return [str(family)] * len(pairs)
        readings: list[Mapping[str, Reading] | str] = [
            pair if isinstance(pair, str) else "" for pair in pairs
        ]
        good = {place: pair for place, pair in enumerate(pairs) if isinstance(pair, _Pair)}
        for place, reading in zip(good, self._compare(family, list(good.values())), strict=True):
            readings[place] = reading
        return readings

    def is_available(self) -> bool:
        return not isinstance(self._family(), MetricUnavailable)

    def _family(self) -> Family | MetricUnavailable:
        with self._loading:
            if self._loaded is None:
                try:
                    self._loaded = _catalogue.load_family(self._name, self._options)
                except MetricUnavailable as error:
                    self._loaded = error
                except Exception as error:
                    self._loaded = MetricUnavailable(self._reason(error))
            return self._loaded

    def _compare(self, family: Family, pairs: Sequence[_Pair]) -> list[Mapping[str, Reading] | str]:
        if not pairs:
            return []
        try:
            prepared = [
                self._prepared.get(pair.source, partial(family.prepare, pair.source_pixels)) for pair in pairs
            ]
            return list(family.compare(prepared, [pair.result for pair in pairs]))
        except Exception as error:
            if len(pairs) == 1:
                return [self._reason(error)]
            return [reading for pair in pairs for reading in self._compare(family, [pair])]

    def _reason(self, error: Exception) -> str:
        if isinstance(error, ConvergeBenchError):
            return str(error)
        _log.warning("%s failed", self._name, exc_info=error)
        return f"{self._name} failed: {type(error).__name__}: {error}"


def _measurement(facts: MetricFacts, outcome: Mapping[str, Reading] | str) -> Measurement:
    reading = outcome if isinstance(outcome, str) else outcome[facts.name]
    if not isinstance(reading, str) and math.isnan(reading):
        reading = f"{facts.name} is not a number here"
    if isinstance(reading, str):
        return Measurement(facts.name, facts.version, None, reading)
    return Measurement(facts.name, facts.version, reading)


def _open(reference: Picture, result: Picture) -> _Pair | str:
    try:
        source = reference.pixels
        height, width = source.shape[:2]
        fitted = resized_to(result.pixels, width, height)
        return _Pair(reference.digest, source, Result(fitted, result.size))
    except ConvergeBenchError as error:
        return str(error)
