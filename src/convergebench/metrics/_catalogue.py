"""The available metrics: the modules of this package, and those of installed plug-ins."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from convergebench import plugins
from convergebench.errors import unknown_name
from convergebench.metrics.base import (
    AnyRegistration,
    FamilyRegistration,
    Metric,
    MetricOptions,
    MetricUnavailable,
    registrations,
)
from convergebench.packaged_files import PackagedFile
from convergebench.types import MetricFacts

ENTRY_POINTS = "convergebench.metrics"
SAMPLED = "sampled"
"""The group of metrics that a run measures at the reported rounds only."""


def names() -> list[str]:
    """All metrics, in alphabetical order."""
    return sorted(_all().metrics)


def groups() -> dict[str, tuple[str, ...]]:
    """The names of families and dimensions, and the metrics of each."""
    return dict(_all().groups)


def expand(chosen: Iterable[str]) -> tuple[str, ...]:
    """The metrics named directly, by family or by dimension, each once.

    >>> expand(["psnr", "colour"])[:3]
    ('psnr', 'delta_e', 'cast_l')
    """
    known = _all()
    return tuple(dict.fromkeys(metric for name in chosen for metric in known.meant_by(name)))


def facts(name: str, options: MetricOptions | None = None) -> MetricFacts:
    """The facts of the metric. Its version identifies the weights, if the options choose them."""
    return registration(name).facts_with(name, options or MetricOptions())


def load(name: str, options: MetricOptions | None = None) -> Metric:
    """The metric, ready to measure; raises MetricUnavailable if a requirement is missing."""
    return registration(name).load_member(name, options or MetricOptions())


def registration(name: str) -> AnyRegistration:
    """The registration that loads the metric: its own, or that of its family."""
    return _all().registration(name)


def packaged_weights(*of: str) -> tuple[PackagedFile, ...]:
    """The weight files that these metrics, or all metrics, take from packages; each file once."""
    chosen = [registration(name) for name in expand(of or names())]
    return tuple(dict.fromkeys(file for one in chosen for file in one.weights))


def missing_reason(name: str, options: MetricOptions | None = None) -> str | None:
    """The reason why the metric is unavailable, or None if it is available. Loads the metric to find out."""
    try:
        load(name, options)
    except MetricUnavailable as error:
        return str(error)
    return None


@dataclass(frozen=True)
class _Catalogue:
    metrics: dict[str, AnyRegistration]
    groups: dict[str, tuple[str, ...]]

    def registration(self, name: str) -> AnyRegistration:
        if name in self.metrics:
            return self.metrics[name]
        known = {one.name for one in self.metrics.values()}
        every = (*self.metrics, *self.groups)
        raise unknown_name("metric", name, every, f"choose from {', '.join(sorted(known))}")

    def meant_by(self, name: str) -> tuple[str, ...]:
        if name in self.groups:
            return self.groups[name]
        self.registration(name)
        return (name,)


@cache
def _all() -> _Catalogue:
    _discover()
    every = sorted(registrations().values(), key=lambda one: isinstance(one, FamilyRegistration))
    metrics = {facts.name: one for one in every for facts in one.members}
    families = {
        one.name: tuple(facts.name for facts in one.members)
        for one in every
        if isinstance(one, FamilyRegistration)
    }
    by_dimension: dict[str, tuple[str, ...]] = {}
    for facts in (facts for one in every for facts in one.members):
        by_dimension[facts.dimension] = (*by_dimension.get(facts.dimension, ()), facts.name)
    sampled = tuple(facts.name for one in every for facts in one.members if facts.is_sampled)
    return _Catalogue(metrics, {**by_dimension, **families, SAMPLED: sampled})


def _discover() -> None:
    for _ in plugins.import_modules(__package__):
        pass  # importing a module registers its metrics
    for entry in plugins.entry_points_of(ENTRY_POINTS):
        plugins.load_required(entry)
