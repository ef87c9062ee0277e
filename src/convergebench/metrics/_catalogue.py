"""Which metrics there are: the modules of this package, and those of installed plug-ins."""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path

from convergebench.errors import ConvergeBenchError, WrongUse
from convergebench.metrics.base import Metric, MetricOptions, MetricUnavailable, Registration, registrations
from convergebench.packages import PackagedFile
from convergebench.types import MetricFacts

ENTRY_POINTS = "convergebench.metrics"


def names() -> list[str]:
    """All metrics, in alphabetical order."""
    return sorted(_all())


def facts(name: str, options: MetricOptions | None = None) -> MetricFacts:
    """What is known of the metric; its version says with which weights, where the options choose them."""
    return _registration(name).facts_with(options or MetricOptions())


def load(name: str, options: MetricOptions | None = None) -> Metric:
    """The metric, ready to measure; raises MetricUnavailable where something it needs is not here."""
    return _registration(name).load(options or MetricOptions())


def packaged_weights(*of: str) -> tuple[PackagedFile, ...]:
    """The files of weights that these metrics, or all, take from packages; each once."""
    chosen = [_registration(name) for name in of] if of else _all().values()
    return tuple(dict.fromkeys(file for one in chosen for file in one.weights))


def missing_reason(name: str, options: MetricOptions | None = None) -> str | None:
    """Why the metric cannot be had here, or None if it can; loads it to find out."""
    try:
        load(name, options)
    except MetricUnavailable as error:
        return str(error)
    return None


def _registration(name: str) -> Registration:
    known = _all()
    if name in known:
        return known[name]
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(sorted(known))}"
    raise WrongUse(f"there is no metric called {name!r}; {hint}")


@cache
def _all() -> dict[str, Registration]:
    package = __name__.rpartition(".")[0]
    for module in pkgutil.iter_modules([str(Path(__file__).parent)]):
        if not module.name.startswith("_"):
            importlib.import_module(f"{package}.{module.name}")
    for plugin in entry_points(group=ENTRY_POINTS):
        try:
            plugin.load()
        except ConvergeBenchError:
            raise
        except Exception as error:
            raise WrongUse(
                f"the metric plug-in {plugin.name!r} ({plugin.value}) cannot be loaded: {error}; "
                "repair or uninstall it"
            ) from error
    return registrations()
