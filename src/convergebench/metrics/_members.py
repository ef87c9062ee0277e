"""Adapters: a metric as a family of one, and a member of a family as a metric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from convergebench.metrics.base import Family, Metric, NotMeasurable, Reading, Result
from convergebench.types import MetricFacts, Pixels


@dataclass(frozen=True)
class Alone:
    """A metric as a family with a single member."""

    metric: Metric

    @property
    def facts(self) -> tuple[MetricFacts, ...]:
        return (self.metric.facts,)

    def prepare(self, source: Pixels) -> Any:
        return self.metric.prepare(source)

    def compare(self, prepared: Sequence[Any], results: Sequence[Result]) -> list[Mapping[str, Reading]]:
        values = self.metric.compare(prepared, [result.pixels for result in results])
        return [{self.metric.facts.name: value} for value in values]


@dataclass(frozen=True)
class Member:
    """One metric of a family; results are assumed to be in their original size."""

    facts: MetricFacts
    family: Family

    def prepare(self, source: Pixels) -> Any:
        return self.family.prepare(source)

    def compare(self, prepared: Sequence[Any], results: Sequence[Pixels]) -> list[float]:
        native = [Result(pixels, (pixels.shape[1], pixels.shape[0])) for pixels in results]
        return [self._value(readings) for readings in self.family.compare(prepared, native)]

    def _value(self, readings: Mapping[str, Reading]) -> float:
        reading = readings[self.facts.name]
        if isinstance(reading, str):
            raise NotMeasurable(reading)
        return reading
