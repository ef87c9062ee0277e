"""Which judged benchmarks there are: a package here each, and those of other installed packages.

A package has its `BENCHMARK = JudgedBenchmark(…)` in the module `benchmark`. Another package names its
JudgedBenchmark under the entry point group `convergebench.benchmarks`.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from functools import cache
from importlib import import_module

import convergebench.benchmarks as package
from convergebench import plugins
from convergebench.analysis.refinement.figures import RefinementFigures
from convergebench.benchmarks.benchmark import JudgedBenchmark
from convergebench.benchmarks.wording import PublishedRubrics
from convergebench.errors import WrongUse
from convergebench.types import SuiteId

_REFINEMENT = "reedit"
"""RE-Edit is what refinement was published with."""


def benchmarks_by_suite() -> dict[str, JudgedBenchmark]:
    """In alphabetical order of the suites."""
    return dict(_by_suite())


def find_benchmark(suite: str) -> JudgedBenchmark | None:
    """The benchmark of the suite of this name, with or without a version."""
    return _by_suite().get(SuiteId(suite).name)


def benchmark_of(suite: str) -> JudgedBenchmark:
    found = find_benchmark(suite)
    if found is None:
        raise WrongUse(f"{SuiteId(suite).name} has no judged scores; choose from {', '.join(_by_suite())}")
    return found


def published_wordings() -> list[PublishedRubrics]:
    """Of all benchmarks whose published wording can be read."""
    return list(dict.fromkeys(one.published for one in _by_suite().values() if one.published is not None))


def refinement_benchmark(suite: str) -> JudgedBenchmark:
    """The benchmark that judges refined edits of this suite: its own if it has figures for that."""
    own = find_benchmark(suite)
    return own if own is not None and own.refinement is not None else _by_suite()[_REFINEMENT]


def refinement_figures(suite: str) -> RefinementFigures:
    figures = refinement_benchmark(suite).refinement
    assert figures is not None
    return figures


@cache
def _by_suite() -> dict[str, JudgedBenchmark]:
    """Built-in suites take precedence over others of the same name."""
    installed = plugins.installed_of(plugins.BENCHMARKS, JudgedBenchmark)
    found = {suite.name: one for one in (*installed, *_built_in()) for suite in one.suites}
    return dict(sorted(found.items()))


def _built_in() -> Iterator[JudgedBenchmark]:
    yield from import_module(f"{package.__name__}.set_judging").BENCHMARKS
    for module in pkgutil.iter_modules(package.__path__):
        if module.ispkg:
            yield import_module(f"{package.__name__}.{module.name}.benchmark").BENCHMARK
