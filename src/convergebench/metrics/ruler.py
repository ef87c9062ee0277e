"""Measures results against their sources with any number of metrics."""

from __future__ import annotations

import logging
import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from convergebench.errors import ConvergeBenchError
from convergebench.metrics import _catalogue
from convergebench.metrics._kept import Kept
from convergebench.metrics.base import Metric, MetricOptions, MetricUnavailable
from convergebench.picture import Picture, resized_to
from convergebench.types import Digest, Measurement, MetricFacts, Pixels

PREPARED_BYTES = 256 * 2**20
"""For each metric; a source of one megapixel takes 22 MB under SSIM, 50 MB under MS-SSIM, 3 kB under CLIP."""

_log = logging.getLogger("convergebench")


@dataclass(frozen=True)
class _Pair:
    source: Digest
    source_pixels: Pixels
    result_pixels: Pixels


class Ruler:
    """Measures with the named metrics; safe to share between threads.

    A metric is loaded when it is first needed. One that is unavailable, or fails on a pair, is missing there
    with the reason, and leaves the others as they are.
    """

    def __init__(self, names: Sequence[str], options: MetricOptions | None = None, sources: int = 64) -> None:
        chosen = options or MetricOptions()
        self._gauges = [_Gauge(_catalogue.facts(name, chosen), chosen, sources) for name in names]

    @property
    def facts(self) -> tuple[MetricFacts, ...]:
        """What it measures with."""
        return tuple(gauge.facts for gauge in self._gauges)

    def can_measure(self, name: str) -> bool:
        """Whether the metric can be had here; loads it."""
        return any(gauge.facts.name == name and gauge.is_available() for gauge in self._gauges)

    def measure(self, pairs: Sequence[tuple[Picture, Picture]]) -> list[dict[str, Measurement]]:
        """For each (reference, result) a measurement of every metric; results take the reference's size."""
        opened = [_open(reference, result) for reference, result in pairs]
        measured: list[dict[str, Measurement]] = [{} for _ in pairs]
        for gauge in self._gauges:
            name, version = gauge.facts.name, gauge.facts.version
            for row, outcome in zip(measured, gauge.read(opened), strict=True):
                row[name] = (
                    Measurement(name, version, None, outcome)
                    if isinstance(outcome, str)
                    else Measurement(name, version, outcome)
                )
        return measured


class _Gauge:
    """One metric with the sources it has seen; a reading is a number, or the reason why there is none."""

    def __init__(self, facts: MetricFacts, options: MetricOptions, sources: int) -> None:
        self.facts = facts
        self._options = options
        self._prepared = Kept(sources, PREPARED_BYTES)
        self._loading = threading.Lock()
        self._loaded: Metric | MetricUnavailable | None = None

    def read(self, pairs: Sequence[_Pair | str]) -> list[float | str]:
        metric = self._metric()
        if isinstance(metric, MetricUnavailable):
            return [str(metric)] * len(pairs)
        readings: list[float | str] = [pair if isinstance(pair, str) else "" for pair in pairs]
        good = {place: pair for place, pair in enumerate(pairs) if isinstance(pair, _Pair)}
        for place, reading in zip(good, self._compare(metric, list(good.values())), strict=True):
            readings[place] = reading
        return readings

    def is_available(self) -> bool:
        return not isinstance(self._metric(), MetricUnavailable)

    def _metric(self) -> Metric | MetricUnavailable:
        with self._loading:
            if self._loaded is None:
                try:
                    self._loaded = _catalogue.load(self.facts.name, self._options)
                except MetricUnavailable as error:
                    self._loaded = error
                except Exception as error:
                    self._loaded = MetricUnavailable(self._reason(error))
            return self._loaded

    def _compare(self, metric: Metric, pairs: Sequence[_Pair]) -> list[float | str]:
        if not pairs:
            return []
        try:
            prepared = [
                self._prepared.get(pair.source, partial(metric.prepare, pair.source_pixels)) for pair in pairs
            ]
            values = metric.compare(prepared, [pair.result_pixels for pair in pairs])
        except Exception as error:
            if len(pairs) == 1:
                return [self._reason(error)]
            return [reading for pair in pairs for reading in self._compare(metric, [pair])]
        return [f"{self.facts.name} is not a number here" if math.isnan(value) else value for value in values]

    def _reason(self, error: Exception) -> str:
        if isinstance(error, ConvergeBenchError):
            return str(error)
        _log.warning("%s failed", self.facts.name, exc_info=error)
        return f"{self.facts.name} failed: {type(error).__name__}: {error}"


def _open(reference: Picture, result: Picture) -> _Pair | str:
    try:
        source = reference.pixels
        height, width = source.shape[:2]
        return _Pair(reference.digest, source, resized_to(result.pixels, width, height))
    except ConvergeBenchError as error:
        return str(error)
