"""The definition of a metric, and how to register one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias, TypeVar

from convergebench.errors import ConvergeBenchError, WrongUse
from convergebench.metrics._gpu.base import GpuMetric
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

        A pair without a value has the reason in its place. If the call raises NotMeasurable, pairs are tried
        one by one.
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


@dataclass(frozen=True)
class MetricOptions:
    clip: str | None = None
    """A folder with CLIP weights, or a hub id. Defaults to ViT-L/14 from the hub."""
    device: Literal["auto", "cpu", "cuda"] = "auto"


GpuForm: TypeAlias = Callable[[MetricOptions, str], GpuMetric]
"""Loads a metric on a torch device."""


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

    def facts_with(self, options: MetricOptions) -> MetricFacts:
        return self.facts if self.version is None else replace(self.facts, version=self.version(options))


@dataclass(frozen=True)
class FunctionMetric:
    """A metric defined by plain functions, one pair at a time."""

    facts: MetricFacts
    of_pair: Callable[[Any, Pixels], float]
    of_source: Callable[[Pixels], Any] | None

    def prepare(self, source: Pixels) -> Any:
        return self.of_source(source) if self.of_source else source

    def compare(self, prepared: Sequence[Any], results: Sequence[Pixels]) -> list[float]:
        return [self.of_pair(one, result) for one, result in zip(prepared, results, strict=True)]


@dataclass(frozen=True)
class FamilyRegistration:
    """A family by name, and its metrics."""

    name: str
    facts: tuple[MetricFacts, ...]
    load: Callable[[MetricOptions], Family]


@dataclass(frozen=True)
class FunctionFamily:
    """A family defined by plain functions, one pair at a time."""

    facts: tuple[MetricFacts, ...]
    of_pair: Callable[[Any, Result], Mapping[str, Reading]]
    of_source: Callable[[Pixels], Any]

    def prepare(self, source: Pixels) -> Any:
        return self.of_source(source)

    def compare(self, prepared: Sequence[Any], results: Sequence[Result]) -> list[Mapping[str, Reading]]:
        return [self.of_pair(one, result) for one, result in zip(prepared, results, strict=True)]


_registrations: dict[str, Registration] = {}
_families: dict[str, FamilyRegistration] = {}
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

    def known(function: _Function) -> _Function:
        summary = (function.__doc__ or "").strip().partition("\n")[0]
        facts = MetricFacts(name, version, better, perfect, worst, dimension, unit, summary)
        loaded = FunctionMetric(facts, function, prepare)
        register(Registration(facts, lambda _: loaded, on_gpu=on_gpu))
        return function

    return known


_FamilyFunction = TypeVar("_FamilyFunction", bound=Callable[[Any, Result], Mapping[str, Reading]])


def family(
    name: str, *members: MetricFacts, prepare: Callable[[Pixels], Any]
) -> Callable[[_FamilyFunction], _FamilyFunction]:
    """Register a function of (prepared source, result) that reads every member."""

    def known(function: _FamilyFunction) -> _FamilyFunction:
        loaded = FunctionFamily(members, function, prepare)
        register_family(FamilyRegistration(name, members, lambda _: loaded))
        return function

    return known


def register(registration: Registration) -> None:
    """Register a metric under its name, which must be unused."""
    _refuse_taken(registration.facts.name)
    _registrations[registration.facts.name] = registration


def register_family(registration: FamilyRegistration) -> None:
    """Register a family and its members under their names, which must be unused."""
    for name in (registration.name, *(facts.name for facts in registration.facts)):
        _refuse_taken(name)
    _families[registration.name] = registration


def _refuse_taken(name: str) -> None:
    members = (facts.name for one in _families.values() for facts in one.facts)
    if name in (*_registrations, *_families, *members):
        raise WrongUse(f"two metrics are called {name!r}: rename one, or uninstall the package it comes from")


def registrations() -> dict[str, Registration]:
    """All metrics outside families that have been registered so far."""
    return dict(_registrations)


def family_registrations() -> dict[str, FamilyRegistration]:
    """All families that have been registered so far."""
    return dict(_families)
