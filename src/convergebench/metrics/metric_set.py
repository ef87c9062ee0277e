"""Measures results against their sources with any number of metrics."""

from __future__ import annotations

import json
import math
import os
import threading
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from copy import copy
from dataclasses import replace
from functools import cache, cached_property
from typing import TYPE_CHECKING

from convergebench.errors import BadPicture
from convergebench.metrics import _catalogue, clip
from convergebench.metrics._device import may_use_cuda, uses_cuda
from convergebench.metrics._gpu.flip_maps import flip_with
from convergebench.metrics._gpu.reader import GpuReader
from convergebench.metrics._lpips_map import LpipsAgainst, lpips_with
from convergebench.metrics._reader import MetricReader, PixelPair, is_failure
from convergebench.metrics._shared_values import sharing
from convergebench.metrics.base import AnyRegistration, MetricOptions, Reading, Result
from convergebench.metrics.flip import FlipAgainst
from convergebench.picture import Picture, resized_to
from convergebench.types import Measurement, MetricFacts

if TYPE_CHECKING:
    from convergebench.metrics._gpu.regions import RegionsOnGpu

BATCH, GPU_BATCH = 16, 64
PART = 4
"""Of a large batch, the number of pictures that a core measures at a time."""
FINAL = json.dumps({"final": True})
"""The detail of a missing value of a metric with weights, if the weights were there: the reason lies in the
pictures, and measuring again gives no other."""


class MetricSet:
    """Measures with the named metrics, families or dimensions; safe to share between threads.

    A metric is loaded on first use. If a metric is unavailable or fails on a pair, its value is missing with
    the reason, and the other metrics are not affected. Members of a family are read together. On a GPU, all
    metrics with a GPU form are read together too.
    """

    def __init__(self, names: Sequence[str], options: MetricOptions | None = None, sources: int = 64) -> None:
        self.options = options or MetricOptions()
        self._sources = sources
        self._requested = tuple(names)
        self._wanted: dict[AnyRegistration, list[MetricFacts]] = {}
        names = (*names, *self.options.metrics_of_weights)
        for name in _catalogue.expand(names):
            facts = _catalogue.facts(name, self.options)
            self._wanted.setdefault(_catalogue.registration(name), []).append(facts)
        requested = _catalogue.expand(name for name in names if name != _catalogue.SAMPLED)
        self.sampled = frozenset(facts.name for facts in self.facts) - frozenset(requested)
        """Metrics that measure the reported rounds only, because they were not requested by name."""
        self._choosing = threading.Lock()
        self._chosen: list[MetricReader | GpuReader] | None = None

    @cached_property
    def facts(self) -> tuple[MetricFacts, ...]:
        """The metrics of this set."""
        return tuple(facts for members in self._wanted.values() for facts in members)

    def without(self, names: Collection[str]) -> MetricSet:
        """A copy without these metrics."""
        fewer = copy(self)
        fewer.__dict__.pop("facts", None)
        fewer._wanted = {
            registration: [facts for facts in members if facts.name not in names]
            for registration, members in self._wanted.items()
            if any(facts.name not in names for facts in members)
        }
        fewer._choosing, fewer._chosen = threading.Lock(), None
        return fewer

    def on_cpu(self) -> MetricSet:
        """The same metrics, measured on the processor."""
        return MetricSet(self._requested, replace(self.options, device="cpu"), self._sources)

    @property
    def is_quick_on_cpu(self) -> bool:
        """Whether no large network is needed there. Loads nothing."""
        names = {facts.name for facts in self.facts}
        return not (self.options.dino or ("clip" in names and clip.is_here(self.options)))

    @property
    def batch_size(self) -> int:
        """The number of pairs per call that uses the machine well. Loads nothing."""
        return GPU_BATCH if self._fit_for_gpu() and may_use_cuda(self.options) else BATCH

    def has_weights(self, name: str) -> bool:
        """Whether the weight files of the metric are cached. Loads nothing."""
        return all(file.is_cached() for file in _catalogue.packaged_weights(name))

    def flip_against(self) -> FlipAgainst:
        """Makes ꟻLIP's maps where this set measures: on the GPU, if one is used."""
        return flip_with(self.options)

    def lpips_against(self) -> LpipsAgainst:
        """Makes maps of LPIPS where this set measures."""
        return lpips_with(self.options)

    def regions_on_gpu(self) -> RegionsOnGpu | None:
        """Measures by region in batches, if a GPU is used. Imports torch to find out."""
        if not uses_cuda(self.options):
            return None
        from convergebench.metrics._gpu.regions import RegionsOnGpu

        return RegionsOnGpu()

    def can_measure(self, name: str) -> bool:
        """Whether the metric is available. Loads the metric to find out."""
        return any(
            reader.is_available(name)
            for reader in self._readers()
            if name in (facts.name for facts in reader.facts)
        )

    def measure(self, pairs: Sequence[tuple[Picture, Picture]]) -> list[dict[str, Measurement]]:
        """For each (reference, result), a measurement of every metric. Results are resized to the
        reference."""
        opened = [_open(reference, result) for reference, result in pairs]
        outcomes: list[dict[str, Mapping[str, Reading] | str]] = [{} for _ in pairs]
        with sharing():
            for reader in self._readers():
                for row, outcome in zip(outcomes, _read(reader, opened), strict=True):
                    row.update({facts.name: outcome for facts in reader.facts})
        learned = {one.name for one in self.facts if one.needs_weights and self.can_measure(one.name)}
        return [
            {facts.name: _measurement(facts, row[facts.name], facts.name in learned) for facts in self.facts}
            for row in outcomes
        ]

    def _fit_for_gpu(self) -> list[AnyRegistration]:
        return [registration for registration in self._wanted if registration.on_gpu is not None]

    def _readers(self) -> list[MetricReader | GpuReader]:
        with self._choosing:
            if self._chosen is None:
                self._chosen = self._choose()
            return self._chosen

    def _choose(self) -> list[MetricReader | GpuReader]:
        """Metrics with a GPU form run there together, if a GPU is available. This is decided when measuring
        starts, because importing torch takes seconds."""
        fit = self._fit_for_gpu()
        on_gpu = fit if fit and uses_cuda(self.options) else []
        readers: list[MetricReader | GpuReader] = [
            MetricReader(registration, tuple(facts), self.options, self._sources)
            for registration, facts in self._wanted.items()
            if registration not in on_gpu
        ]
        together = tuple(facts for registration in on_gpu for facts in self._wanted[registration])
        return [GpuReader(together, self.options), *readers] if together else readers


def _read(
    reader: MetricReader | GpuReader, pairs: Sequence[PixelPair | str]
) -> list[Mapping[str, Reading] | str]:
    """A batch for a GPU is large: what is not measured there is divided among the processor's cores."""
    if isinstance(reader, GpuReader) or len(pairs) <= BATCH:
        return reader.read(pairs)
    parts = [pairs[start : start + PART] for start in range(0, len(pairs), PART)]
    # In copies of this context, because threads would not know what metrics share.
    reading = [cores().submit(copy_context().run, reader.read, part) for part in parts]
    return [outcome for part in reading for outcome in part.result()]


@cache
def cores() -> ThreadPoolExecutor:
    """For the parts of a large batch that are measured on the processor."""
    return ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="measure")


def _measurement(facts: MetricFacts, outcome: Mapping[str, Reading] | str, has_weights: bool) -> Measurement:
    reading = outcome if isinstance(outcome, str) else outcome[facts.name]
    if not isinstance(reading, str) and math.isnan(reading):
        reading = f"{facts.name} is not a number here"
    if not isinstance(reading, str):
        return Measurement(facts.name, facts.version, reading)
    is_final = has_weights and not isinstance(outcome, str) and not is_failure(facts.name, reading)
    return Measurement(facts.name, facts.version, None, reading, FINAL if is_final else None)


def _open(reference: Picture, result: Picture) -> PixelPair | str:
    try:
        source = reference.pixels
        height, width = source.shape[:2]
        fitted = resized_to(result.pixels, width, height)
        return PixelPair(reference.digest, source, Result(fitted, result.size))
    except BadPicture as error:
        return str(error)
