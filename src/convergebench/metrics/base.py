"""The definition of a metric, and how to register one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, Literal, NamedTuple, Protocol, TypeAlias, TypeVar

from convergebench.errors import ConvergeBenchError, WrongUse
from convergebench.metrics._gpu.base import GpuFamily, GpuMetric
from convergebench.packaged_files import PackagedFile
from convergebench.types import Better, Dimension, MetricFacts, Pixels

Reading: TypeAlias = float | str
"""A number, or the reason why it is missing."""


class Metric(Protocol):
    """Computes a number from a source and a result of the same size."""

    @property
    def facts(self) -> MetricFacts: ...

    def prepare(self, source: Pixels) -> Any:
        """The part that depends on the source alone. It is cached and passed back for every result of that
        source."""

    def compare(self, prepared: Sequence[Any], results: Sequence[Pixels]) -> Sequence[Reading]:
        """Compare the i-th result with the i-th prepared source, all in one call.

        A pair without a value has the reason in its place. If the call raises, pairs are tried
        individually.
        """


class Result(NamedTuple):
    """A result resized to its source, and its original width and height."""

    pixels: Pixels
    native_size: tuple[int, int]


class Family(Protocol):
    """Computes several numbers from a source and a result in one pass, each with its own reason if
    missing."""

    @property
    def facts(self) -> tuple[MetricFacts, ...]: ...

    def prepare(self, source: Pixels) -> Any:
        """See `Metric.prepare`."""

    def compare(self, prepared: Sequence[Any], results: Sequence[Result]) -> list[Mapping[str, Reading]]:
        """For each result, a reading of every member, by name."""


class MetricUnavailable(ConvergeBenchError):
    """The metric is unavailable. The message says what to install, pull or pass."""


class NotMeasurable(ConvergeBenchError):
    """These pictures have no value under this metric, for example because they are smaller than its
    window."""


def refusal(refuse_small: Callable[[int, int], None], height: int, width: int) -> str | None:
    """The reason with which a metric refuses pictures of this size, or None."""
    try:
        refuse_small(height, width)
    except NotMeasurable as reason:
        return str(reason)
    return None


ON_REQUEST = ("dino", "dino_structure")
"""Metrics that are measured only if they are named or their weights are given."""


@dataclass(frozen=True)
class MetricOptions:
    clip: str | None = None
    """A folder with CLIP weights, or a hub id. Defaults to ViT-L/14 from the hub."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    dino: str | None = None
    """A folder with DINO weights, or a hub id; without it DINO's metrics are missing."""

    @property
    def metrics_of_weights(self) -> tuple[str, ...]:
        """The metrics that giving weights asks for."""
        return ON_REQUEST if self.dino else ()


GpuForm: TypeAlias = Callable[[MetricOptions, str], GpuMetric | GpuFamily]
"""Loads a metric or a family on a torch device."""


@dataclass(frozen=True)
class Registration:
    """A metric by name. Its facts are known at once; the metric itself is loaded later."""

    facts: MetricFacts
    load: Callable[[MetricOptions], Metric]
    version: Callable[[MetricOptions], str] | None = None
    """For metrics whose values depend on the options, such as the choice of weights."""
    weights: tuple[PackagedFile, ...] = ()
    on_gpu: GpuForm | None = None
    """The form that measures many pictures at once on a GPU, if the metric has one."""

    @property
    def name(self) -> str:
        return self.facts.name

    @property
    def members(self) -> tuple[MetricFacts, ...]:
        return (self.facts,)

    def facts_with(self, name: str, options: MetricOptions) -> MetricFacts:
        return self.facts if self.version is None else replace(self.facts, version=self.version(options))

    def load_member(self, name: str, options: MetricOptions) -> Metric:
        return self.load(options)

    def load_family(self, options: MetricOptions) -> Family:
        return _FamilyOfOne(self.load(options))


@dataclass(frozen=True)
class FamilyRegistration:
    """A family by name, and its metrics."""

    name: str
    members: tuple[MetricFacts, ...]
    load: Callable[[MetricOptions], Family]
    on_gpu: GpuForm | None = None
    weights: tuple[PackagedFile, ...] = ()
    """Of those members that need weights."""

    def facts_with(self, name: str, options: MetricOptions) -> MetricFacts:
        return next(facts for facts in self.members if facts.name == name)

    def load_member(self, name: str, options: MetricOptions) -> Metric:
        return _FamilyMember(self.facts_with(name, options), self.load(options))

    def load_family(self, options: MetricOptions) -> Family:
        return self.load(options)


AnyRegistration: TypeAlias = Registration | FamilyRegistration


@dataclass(frozen=True)
class _FamilyOfOne:
    """A metric as a family."""

    metric: Metric

    @property
    def facts(self) -> tuple[MetricFacts, ...]:
        return (self.metric.facts,)

    def prepare(self, source: Pixels) -> Any:
        return self.metric.prepare(source)

    def compare(self, prepared: Sequence[Any], results: Sequence[Result]) -> list[Mapping[str, Reading]]:
        readings = self.metric.compare(prepared, [result.pixels for result in results])
        return [{self.metric.facts.name: reading} for reading in readings]


@dataclass(frozen=True)
class _FamilyMember:
    """A member of a family as a metric; results are assumed to be in their original size."""

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


_Facts = TypeVar("_Facts")
_Result = TypeVar("_Result")
_Value = TypeVar("_Value")


@dataclass(frozen=True)
class OfFunctions(Generic[_Facts, _Result, _Value]):
    """A metric or a family defined by plain functions, one pair at a time."""

    facts: _Facts
    of_pair: Callable[[Any, _Result], _Value]
    of_source: Callable[[Pixels], Any] | None = None

    def prepare(self, source: Pixels) -> Any:
        return self.of_source(source) if self.of_source else source

    def compare(self, prepared: Sequence[Any], results: Sequence[_Result]) -> list[_Value]:
        return [self.of_pair(one, result) for one, result in zip(prepared, results, strict=True)]


_registrations: dict[str, AnyRegistration] = {}
_Function = TypeVar("_Function", bound=Callable[[Any, Pixels], float])


def metric(
    name: str,
    *,
    better: Better,
    perfect: float,
    worst: float,
    dimension: Dimension,
    unit: str = "",
    version: str = "1",
    prepare: Callable[[Pixels], Any] | None = None,
    on_gpu: GpuForm | None = None,
) -> Callable[[_Function], _Function]:
    """Register a function of (source, result), or with `prepare`, of (prepared source, result).

    The first line of the function's docstring is the metric's summary.
    """

    def decorate(function: _Function) -> _Function:
        summary = (function.__doc__ or "").strip().partition("\n")[0]
        facts = MetricFacts(name, version, better, perfect, worst, dimension, unit, summary)
        loaded = OfFunctions(facts, function, prepare)
        register(Registration(facts, lambda _: loaded, on_gpu=on_gpu))
        return function

    return decorate


_FamilyFunction = TypeVar("_FamilyFunction", bound=Callable[[Any, Result], Mapping[str, Reading]])


def family(
    name: str,
    *members: MetricFacts,
    prepare: Callable[[Pixels], Any],
    on_gpu: GpuForm | None = None,
    weights: tuple[PackagedFile, ...] = (),
) -> Callable[[_FamilyFunction], _FamilyFunction]:
    """Register a function of (prepared source, result) that reads every member."""

    def decorate(function: _FamilyFunction) -> _FamilyFunction:
        loaded = OfFunctions(members, function, prepare)
        register(FamilyRegistration(name, members, lambda _: loaded, on_gpu, weights))
        return function

    return decorate


def register(registration: AnyRegistration) -> None:
    """Register a metric, or a family with its members, under names that must be unused."""
    for name in dict.fromkeys((registration.name, *(facts.name for facts in registration.members))):
        members = (facts.name for one in _registrations.values() for facts in one.members)
        if name in (*_registrations, *members):
            raise WrongUse(
                f"two metrics are called {name!r}: rename one, or uninstall the package it comes from"
            )
    _registrations[registration.name] = registration


def registrations() -> dict[str, AnyRegistration]:
    """All metrics and families that have been registered so far."""
    return dict(_registrations)
