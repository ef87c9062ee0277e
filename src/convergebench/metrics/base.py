"""What a metric is, and how one is made known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias, TypeVar

from convergebench.errors import ConvergeBenchError, WrongUse
from convergebench.metrics._gpu.base import GpuMetric
from convergebench.packaged_files import PackagedFile
from convergebench.types import Better, Dimension, MetricFacts, Pixels

Reading: TypeAlias = float | str
"""A number, or the reason why there is none."""


class Metric(Protocol):
    """A number from a source and a result of the same size."""

    @property
    def facts(self) -> MetricFacts: ...

    def prepare(self, source: Pixels) -> Any:
        """What depends on the source alone; it is kept and handed back for every result of that source."""

    def compare(self, prepared: Sequence[Any], results: Sequence[Pixels]) -> Sequence[Reading]:
        """The i-th result against the i-th prepared source, all in one go.

        A pair that has no value has the reason in its place, or the whole raises NotMeasurable: then pairs
        are tried one by one.
        """


class Result(NamedTuple):
    """A result in the size of its source, and the width and height that it came in."""

    pixels: Pixels
    native_size: tuple[int, int]


class Family(Protocol):
    """Several numbers from one look at a source and a result, each with its own reason to be missing."""

    @property
    def facts(self) -> tuple[MetricFacts, ...]: ...

    def prepare(self, source: Pixels) -> Any:
        """As a metric's."""

    def compare(self, prepared: Sequence[Any], results: Sequence[Result]) -> list[Mapping[str, Reading]]:
        """For each result a reading of every member, by its name."""


class MetricUnavailable(ConvergeBenchError):
    """This metric cannot be used here: what to install, pull or give."""


class NotMeasurable(ConvergeBenchError):
    """These pictures have no value under this metric, such as one too small for its window."""


@dataclass(frozen=True)
class MetricOptions:
    clip: str | None = None
    """A folder with CLIP weights, or a hub id; ViT-L/14 from the hub unless given."""
    device: Literal["auto", "cpu", "cuda"] = "auto"


GpuForm: TypeAlias = Callable[[MetricOptions, str], GpuMetric]
"""Loads a metric on one of torch's devices."""


@dataclass(frozen=True)
class Registration:
    """A metric by name: its facts are known at once, the metric itself when it is loaded."""

    facts: MetricFacts
    load: Callable[[MetricOptions], Metric]
    version: Callable[[MetricOptions], str] | None = None
    """For metrics whose values depend on the options, such as on which weights are given."""
    weights: tuple[PackagedFile, ...] = ()
    on_gpu: GpuForm | None = None
    """The same for many pictures at once on a GPU, where there is such a form."""

    def facts_with(self, options: MetricOptions) -> MetricFacts:
        return self.facts if self.version is None else replace(self.facts, version=self.version(options))


@dataclass(frozen=True)
class FunctionMetric:
    """A metric made of plain functions, one pair at a time."""

    facts: MetricFacts
    of_pair: Callable[[Any, Pixels], float]
    of_source: Callable[[Pixels], Any] | None

    def prepare(self, source: Pixels) -> Any:
        return self.of_source(source) if self.of_source else source

    def compare(self, prepared: Sequence[Any], results: Sequence[Pixels]) -> list[float]:
        return [self.of_pair(one, result) for one, result in zip(prepared, results, strict=True)]


@dataclass(frozen=True)
class FamilyRegistration:
    """A family by name, and the metrics that it gives."""

    name: str
    facts: tuple[MetricFacts, ...]
    load: Callable[[MetricOptions], Family]


@dataclass(frozen=True)
class FunctionFamily:
    """A family made of plain functions, one pair at a time."""

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
    """Register a function of (source, result); with `prepare`, of (what it makes of the source, result).

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
    """Register a function of (what `prepare` makes of the source, result) that reads every member."""

    def known(function: _FamilyFunction) -> _FamilyFunction:
        loaded = FunctionFamily(members, function, prepare)
        register_family(FamilyRegistration(name, members, lambda _: loaded))
        return function

    return known


def register(registration: Registration) -> None:
    """Make a metric known by its name, which must not be taken."""
    _refuse_taken(registration.facts.name)
    _registrations[registration.facts.name] = registration


def register_family(registration: FamilyRegistration) -> None:
    """Make a family and its members known by their names, none of which may be taken."""
    for name in (registration.name, *(facts.name for facts in registration.facts)):
        _refuse_taken(name)
    _families[registration.name] = registration


def _refuse_taken(name: str) -> None:
    members = (facts.name for one in _families.values() for facts in one.facts)
    if name in (*_registrations, *_families, *members):
        raise WrongUse(f"two metrics are called {name!r}: rename one, or uninstall the package it comes from")


def registrations() -> dict[str, Registration]:
    """All metrics that stand alone and have been registered so far."""
    return dict(_registrations)


def family_registrations() -> dict[str, FamilyRegistration]:
    """All families that have been registered so far."""
    return dict(_families)
