"""Metrics that are read together on a GPU, with a cache of prepared sources."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, TypeAlias

from convergebench.lru_cache import LruCache, array_bytes
from convergebench.metrics import _catalogue
from convergebench.metrics._gpu.base import GpuFamily, GpuMetric
from convergebench.metrics._gpu.pictures import brought
from convergebench.metrics._reader import PixelPair, reason_for
from convergebench.metrics._shared_values import sharing
from convergebench.metrics.base import AnyRegistration, MetricOptions, MetricUnavailable, Reading
from convergebench.types import Digest, MetricFacts

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from torch import Tensor

    Features: TypeAlias = dict[str, tuple[Tensor, ...]]
    """By metric: the features of one picture, or of several pictures along the first axis."""

BATCH_PIXELS = 64 * 2**20
BATCH = 128
SOURCE_BYTES = 2 * 2**30


class GpuReader:
    """Copies each picture to the device once, in batches of one size, and reads all metrics there.

    Copies overlap with the work on the previous batch. Safe to share between threads.
    """

    def __init__(self, facts: tuple[MetricFacts, ...], options: MetricOptions, device: str = "cuda") -> None:
        self.facts = facts
        self._options = options
        self._device = device
        self._loading = threading.Lock()
        self._loaded: dict[str, GpuMetric | GpuFamily | str] | None = None
        self._sources: LruCache[Digest, Features] = LruCache(
            max_bytes=SOURCE_BYTES, size=lambda features: array_bytes(tuple(_distinct(features).values()))
        )

    def is_available(self, name: str) -> bool:
        return not isinstance(self._metrics()[_catalogue.registration(name).name], str)

    def read(self, pairs: Sequence[PixelPair | str]) -> list[Mapping[str, Reading] | str]:
        readings: list[Mapping[str, Reading] | str] = [
            pair if isinstance(pair, str) else "" for pair in pairs
        ]
        for places, batch in _batches(pairs):
            for place, reading in zip(places, self._read(batch), strict=True):
                readings[place] = reading
        return readings

    def _metrics(self) -> dict[str, GpuMetric | GpuFamily | str]:
        """The metrics and families by name, or the reason why each is unavailable."""
        with self._loading:
            if self._loaded is None:
                wanted = dict.fromkeys(_catalogue.registration(facts.name) for facts in self.facts)
                self._loaded = {registration.name: self._load(registration) for registration in wanted}
            return self._loaded

    def _members(self, name: str) -> list[str]:
        """Of a family those that are wanted, of a metric itself."""
        every = (facts.name for facts in self.facts)
        return [member for member in every if _catalogue.registration(member).name == name]

    def _load(self, registration: AnyRegistration) -> GpuMetric | GpuFamily | str:
        assert registration.on_gpu is not None, "only metrics with a GPU form are read here"
        try:
            return registration.on_gpu(self._options, self._device)
        except MetricUnavailable as error:
            return str(error)
        except Exception as error:
            return reason_for(registration.name, error)

    def _read(self, pairs: Sequence[PixelPair]) -> list[Mapping[str, Reading]]:
        """Reads all pairs at once. If this fails, for example for lack of memory, each half is read
        separately."""
        try:
            return self._measured(pairs)
        except Exception as error:
            if len(pairs) == 1:
                return [{facts.name: reason_for(facts.name, error) for facts in self.facts}]
            half = len(pairs) // 2
            return self._read(pairs[:half]) + self._read(pairs[half:])

    def _measured(self, pairs: Sequence[PixelPair]) -> list[Mapping[str, Reading]]:
        import torch

        height, width, _ = pairs[0].source_pixels.shape
        reasons: dict[str, Reading] = {}
        fit: dict[str, GpuMetric | GpuFamily] = {}
        for name, metric in self._metrics().items():
            reason = metric if isinstance(metric, str) else metric.unfit(height, width)
            if isinstance(metric, str) or reason is not None:
                reasons |= dict.fromkeys(self._members(name), reason or "")
            else:
                fit[name] = metric
        if not fit:
            return [reasons] * len(pairs)
        with torch.inference_mode(), sharing():
            results = brought([pair.result.pixels for pair in pairs], self._device)
            sources = self._features_of_sources(fit, pairs)
            summaries = {
                name: list(metric.summaries(sources[name], results))
                if isinstance(metric, GpuFamily)
                else [metric.values(sources[name], metric.features(results))]
                for name, metric in fit.items()
            }
            found = _on_host(summaries)
        return [
            reasons | _readings_of(fit, {name: [part[place] for part in found[name]] for name in fit}, pair)
            for place, pair in enumerate(pairs)
        ]

    def _features_of_sources(
        self, fit: Mapping[str, GpuMetric | GpuFamily], pairs: Sequence[PixelPair]
    ) -> Features:
        import torch

        found = {pair.source: self._sources.find(pair.source) for pair in pairs}
        known = {digest: features for digest, features in found.items() if features is not None}
        new = {pair.source: pair.source_pixels for pair in pairs if pair.source not in known}
        if new:
            there = brought(list(new.values()), self._device)
            made = {name: metric.features(there) for name, metric in fit.items()}
            for place, digest in enumerate(new):
                copies = {key: part[place].clone() for key, part in _distinct(made).items()}
                known[digest] = {
                    name: tuple(copies[id(part)] for part in parts) for name, parts in made.items()
                }
                self._sources.put(digest, known[digest])
        each = [known[pair.source] for pair in pairs]
        stacks: dict[tuple[int, ...], Tensor] = {}

        def stacked(parts: tuple[Tensor, ...]) -> Tensor:
            key = tuple(map(id, parts))
            if key not in stacks:
                stacks[key] = torch.stack(parts)
            return stacks[key]

        return {
            name: tuple(stacked(parts) for parts in zip(*(one[name] for one in each), strict=True))
            for name in fit
        }


def _distinct(features: Features) -> dict[int, Tensor]:
    """Each part once, by its identity: the pixels are features of several metrics."""
    return {id(part): part for parts in features.values() for part in parts}


def _on_host(summaries: Mapping[str, Sequence[Tensor]]) -> dict[str, list[NDArray[Any]]]:
    """The same as arrays, in two copies, since each copy waits for the device: single numbers keep all their
    digits, maps are floats."""
    numbers = [part for parts in summaries.values() for part in parts if part.dim() == 1]
    maps = [part for parts in summaries.values() for part in parts if part.dim() > 1]
    copied = {id(part): column for group in (numbers, maps) for part, column in _copied(group)}
    return {name: [copied[id(part)] for part in parts] for name, parts in summaries.items()}


def _copied(parts: Sequence[Tensor]) -> Iterator[tuple[Tensor, NDArray[Any]]]:
    import torch

    if not parts:
        return
    dtype = torch.float64 if parts[0].dim() == 1 else torch.float32
    columns = torch.cat([part.to(dtype).reshape(len(part), -1) for part in parts], dim=1).cpu().numpy()
    start = 0
    for part in parts:
        length = math.prod(part.shape[1:])
        yield part, columns[:, start : start + length].reshape(part.shape)
        start += length


def _readings_of(
    fit: Mapping[str, GpuMetric | GpuFamily],
    summaries: Mapping[str, Sequence[NDArray[Any]]],
    pair: PixelPair,
) -> dict[str, Reading]:
    """All readings of one pair."""
    readings: dict[str, Reading] = {}
    for name, metric in fit.items():
        if isinstance(metric, GpuFamily):
            readings |= metric.readings(summaries[name], pair)
        else:
            readings[name] = float(summaries[name][0])
    return readings


def _batches(pairs: Sequence[PixelPair | str]) -> Iterator[tuple[list[int], list[PixelPair]]]:
    """Indices of pairs of one size, and the pairs: few enough to fit into the device's memory."""
    good = {place: pair for place, pair in enumerate(pairs) if isinstance(pair, PixelPair)}

    def size(place: int) -> tuple[int, ...]:
        return good[place].source_pixels.shape

    for (height, width, _), group in groupby(sorted(good, key=size), key=size):
        places = list(group)
        step = max(1, min(BATCH, BATCH_PIXELS // (height * width)))
        for start in range(0, len(places), step):
            chosen = places[start : start + step]
            yield chosen, [good[place] for place in chosen]
