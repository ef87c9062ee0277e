"""The available metrics: the modules of this package, and those of installed plug-ins."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from convergebench import plugins
from convergebench.errors import ConvergeBenchError, WrongUse, unknown_name
from convergebench.metrics._gpu.base import GpuMetric
from convergebench.metrics._members import Alone, Member
from convergebench.metrics.base import (
    Family,
    FamilyRegistration,
    Metric,
    MetricOptions,
    MetricUnavailable,
    Registration,
    family_registrations,
    registrations,
)
from convergebench.packaged_files import PackagedFile
from convergebench.types import MetricFacts

ENTRY_POINTS = "convergebench.metrics"


def names() -> list[str]:
    """All metrics, in alphabetical order."""
    return sorted(_all().metrics)


def groups() -> dict[str, tuple[str, ...]]:
    """The names of families and dimensions, and the metrics that each stands for."""
    return dict(_all().groups)


def expand(chosen: Iterable[str]) -> tuple[str, ...]:
    """The metrics that these names stand for, each once: a metric, a family or a dimension.

    >>> expand(["psnr", "colour"])[:3]
    ('psnr', 'delta_e', 'cast_l')
    """
    known = _all()
    return tuple(dict.fromkeys(metric for name in chosen for metric in known.meant_by(name)))


def facts(name: str, options: MetricOptions | None = None) -> MetricFacts:
    """The facts of the metric. Its version identifies the weights, if the options choose them."""
    return _all().facts(name, options or MetricOptions())


def load(name: str, options: MetricOptions | None = None) -> Metric:
    """The metric, ready to measure; raises MetricUnavailable if a requirement is missing."""
    found = _all().registration(name)
    if isinstance(found, Registration):
        return found.load(options or MetricOptions())
    return Member(facts(name), found.load(options or MetricOptions()))


def source_of(name: str) -> str:
    """The name under which the metric is loaded: the name of its family, or its own."""
    found = _all().registration(name)
    return found.name if isinstance(found, FamilyRegistration) else name


def load_family(name: str, options: MetricOptions) -> Family:
    """Load the family that `source_of` names, or a single metric as a family of one."""
    families = family_registrations()
    return families[name].load(options) if name in families else Alone(load(name, options))


def has_gpu_form(name: str) -> bool:
    """Whether the metric that `source_of` names can be read on a GPU together with others."""
    return name in registrations() and registrations()[name].on_gpu is not None


def load_on_gpu(name: str, options: MetricOptions, device: str) -> GpuMetric:
    """The metric in its GPU form; raises MetricUnavailable as `load` does."""
    make = registrations()[name].on_gpu
    assert make is not None, "ask `has_gpu_form` first"
    return make(options, device)


def packaged_weights(*of: str) -> tuple[PackagedFile, ...]:
    """The weight files that these metrics, or all metrics, take from packages; each file once."""
    chosen = [_all().registration(name) for name in expand(of or names())]
    return tuple(
        dict.fromkeys(file for one in chosen if isinstance(one, Registration) for file in one.weights)
    )


def missing_reason(name: str, options: MetricOptions | None = None) -> str | None:
    """The reason why the metric is unavailable, or None if it is available. Loads the metric to find out."""
    try:
        load(name, options)
    except MetricUnavailable as error:
        return str(error)
    return None


@dataclass(frozen=True)
class _Catalogue:
    metrics: dict[str, Registration | FamilyRegistration]
    groups: dict[str, tuple[str, ...]]

    def registration(self, name: str) -> Registration | FamilyRegistration:
        if name in self.metrics:
            return self.metrics[name]
        known = {r.name if isinstance(r, FamilyRegistration) else r.facts.name for r in self.metrics.values()}
        every = (*self.metrics, *self.groups)
        raise unknown_name("metric", name, every, f"choose from {', '.join(sorted(known))}")

    def facts(self, name: str, options: MetricOptions) -> MetricFacts:
        found = self.registration(name)
        if isinstance(found, Registration):
            return found.facts_with(options)
        return next(facts for facts in found.facts if facts.name == name)

    def meant_by(self, name: str) -> tuple[str, ...]:
        if name in self.groups:
            return self.groups[name]
        self.registration(name)
        return (name,)


@cache
def _all() -> _Catalogue:
    _discover()
    alone, families = registrations(), family_registrations()
    members = {facts.name: one for one in families.values() for facts in one.facts}
    groups = {one.name: tuple(facts.name for facts in one.facts) for one in families.values()}
    by_dimension: dict[str, tuple[str, ...]] = {}
    every = [one.facts for one in alone.values()] + [f for one in families.values() for f in one.facts]
    for facts in every:
        by_dimension[facts.dimension] = (*by_dimension.get(facts.dimension, ()), facts.name)
    return _Catalogue({**alone, **members}, {**by_dimension, **groups})


def _discover() -> None:
    package = __name__.rpartition(".")[0]
    for module in pkgutil.iter_modules([str(Path(__file__).parent)]):
        if not module.name.startswith("_"):
            importlib.import_module(f"{package}.{module.name}")
    for plugin in plugins.entry_points_of(ENTRY_POINTS):
        try:
            plugin.load()
        except ConvergeBenchError:
            raise
        except Exception as error:
            raise WrongUse(
                f"the metric plug-in {plugin.name!r} ({plugin.value}) cannot be loaded: {error}; "
                "repair or uninstall it"
            ) from error
