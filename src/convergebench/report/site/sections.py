"""The page's data in sections, each built when it is asked for, by a key that is also its file's name."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from typing import Any

from convergebench.analysis import Results, has_scale
from convergebench.errors import WrongUse
from convergebench.report.site.drifting import drift_section
from convergebench.report.site.films import Film, case_section, films_of, pictures_section
from convergebench.report.site.measured import metric_section, pairs_section, values_section
from convergebench.report.site.overview import cases_of, overview_section
from convergebench.report.site.ran import runs_section
from convergebench.store import Workspace


class Sections:
    """Everything that the page can show of one suite in a workspace."""

    def __init__(self, workspace: Workspace, results: Results, *, live: bool = False) -> None:
        self._workspace = workspace
        self._results = results
        self._live = live
        self._builders = self._named()

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(self._builders)

    def build(self, key: str) -> Any:
        """The section for json.dumps, but for infinite numbers."""
        if key not in self._builders:
            raise WrongUse(f"the page has no section {key!r}")
        return self._builders[key]()

    @cached_property
    def films(self) -> dict[str, tuple[Film, ...]]:
        """All trajectories, by case."""
        return films_of(self._workspace, self._results)

    def _named(self) -> dict[str, Callable[[], Any]]:
        results, workspace = self._results, self._workspace
        named: dict[str, Callable[[], Any]] = {
            "overview": lambda: overview_section(results, live=self._live),
            "pictures": lambda: pictures_section(workspace, results, self.films),
            "drift": lambda: drift_section(results),
            "runs": lambda: runs_section(workspace, results),
        }
        for facts in results.metrics:
            named[f"metric/{facts.name}"] = partial(metric_section, results, facts.name)
            named[f"values/{facts.name}"] = partial(values_section, results, facts.name)
            for number in range(len(results.roles())) if has_scale(facts) else ():
                named[f"pairs/{facts.name}/{number}"] = partial(pairs_section, results, facts.name, number)
        for number, case in enumerate(cases_of(results)):
            named[f"case/{number}"] = partial(self._case, case.id)
        return named

    def _case(self, case: str) -> Any:
        return case_section(self._workspace, self._results, case, self.films.get(case, ()))
