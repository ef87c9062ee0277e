"""The page's data in sections, each built when it is asked for, by a key that is also its file's name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property, partial
from typing import Any

from convergebench.analysis import Results
from convergebench.analysis.refinement.refined_case import RefinedCase
from convergebench.errors import WrongUse
from convergebench.report.page.drift import drift_section
from convergebench.report.page.filmstrips import (
    Filmstrip,
    case_section,
    filmstrips_of,
    last_returns,
    pictures_of_case,
    pictures_section,
)
from convergebench.report.page.judging import (
    judging_section,
    pictures_of_verdicts,
    piece_keys,
    verdicts_section,
)
from convergebench.report.page.merge_partial import merge_partial
from convergebench.report.page.metric_sections import metric_section, pairs_section, values_section
from convergebench.report.page.overview import cases_of, compared_rounds, model_numbers, overview_section
from convergebench.report.page.page_picture import PagePicture
from convergebench.report.page.refinements import (
    Judged,
    by_result,
    pictures_of_refined,
    refine_section,
    refined_section,
)
from convergebench.report.page.runs import runs_section
from convergebench.report.page.single_edits import (
    Verdicts,
    edit_section,
    edits_section,
    pictures_of_edit,
    single_edits,
    verdict_numbers,
)
from convergebench.report.page.step_index import IndexedStep, by_picture, index_steps
from convergebench.report.page.verdicts import Judgement, judgements_of
from convergebench.results import Records
from convergebench.results.refinements import refinements
from convergebench.store import Workspace
from convergebench.types import Digest

__all__ = ["PagePicture", "Sections"]

_PICTURES: Mapping[str, Callable[[Any], Iterable[PagePicture]]] = {
    "case": pictures_of_case,
    "edit": pictures_of_edit,
    "verdicts": pictures_of_verdicts,
    "refined": pictures_of_refined,
}
"""What a section shows, by the first part of its key."""


class Sections:
    """Everything that the page can show of one suite in a workspace."""

    def __init__(self, workspace: Workspace, results: Results, *, live: bool = False) -> None:
        self._workspace = workspace
        self._records = Records.of(workspace)
        self._ranked = results
        self._results = merge_partial(results)
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

    def shows_pictures(self, key: str) -> bool:
        return key.partition("/")[0] in _PICTURES

    def pictures_in(self, key: str, section: Any) -> list[PagePicture]:
        """Those that a section shows, as far as they must lie beside the page."""
        return list(_PICTURES[key.partition("/")[0]](section)) if self.shows_pictures(key) else []

    @property
    def models(self) -> int:
        return len(self._results.roles())

    def last_returns(self, model: int) -> list[tuple[Digest, Digest]]:
        """Sources and last returns of one model's complete trajectories, of the edits that are ranked."""
        cases = {
            number for number, case in enumerate(cases_of(self._results)) if case.edits == self._results.edits
        }
        return last_returns(self._pictures, model, cases)

    @cached_property
    def _steps(self) -> list[IndexedStep]:
        return index_steps(self._records)

    @cached_property
    def _judgements(self) -> list[Judgement]:
        return judgements_of(self._records, by_picture(self._steps))

    @cached_property
    def _single_edits(self) -> list[list[IndexedStep]]:
        return single_edits(self._steps)

    @cached_property
    def _verdicts(self) -> Verdicts:
        return verdict_numbers(self._judgements)

    @cached_property
    def _refinements(self) -> list[RefinedCase]:
        return refinements(self._records)

    @cached_property
    def _by_result(self) -> Judged:
        return by_result(self._judgements)

    @cached_property
    def _pictures(self) -> dict[str, Any]:
        return pictures_section(self._records, self._results, self.films)

    @cached_property
    def films(self) -> dict[str, tuple[Filmstrip, ...]]:
        """All trajectories, by case."""
        return filmstrips_of(self._records, self._results)

    def _named(self) -> dict[str, Callable[[], Any]]:
        results = self._results
        named: dict[str, Callable[[], Any]] = {
            "overview": lambda: {
                **overview_section(results, live=self._live),
                "verdicts": len(self._judgements),
                "single_edits": len(self._single_edits),
                "refinements": len(self._refinements),
            },
            "pictures": lambda: self._pictures,
            "drift": lambda: drift_section(self._ranked, results.roles()),
            "runs": lambda: runs_section(self._records, results),
        }
        for facts in results.metrics:
            named[f"metric/{facts.name}"] = partial(
                metric_section, self._ranked, facts.name, model_numbers(results)
            )
            named[f"values/{facts.name}"] = partial(values_section, results, facts.name)
            for round in compared_rounds(results, facts, live=self._live):
                for number, models in enumerate(self._from_each_model_on()):
                    key = f"pairs/{facts.name}/{round}/{number}"
                    named[key] = partial(pairs_section, self._ranked, facts.name, round, models)
        for number, case in enumerate(cases_of(results)):
            named[f"case/{number}"] = partial(self._case, case.id)
        return {**named, **self._judged(), **self._refined()}

    def _judged(self) -> dict[str, Callable[[], Any]]:
        """What judges said, and the single edits that they mostly speak of."""
        workspace, judgements, cases = self._workspace, self._judgements, self._single_edits
        named: dict[str, Callable[[], Any]] = {}
        if judgements:
            named["judging"] = lambda: judging_section(self._records, judgements, self._steps)
        for piece in piece_keys(judgements):
            named[f"verdicts/{piece}"] = partial(verdicts_section, self._records, judgements, piece)
        if cases:
            named["edits"] = lambda: edits_section(cases, judgements, self._verdicts)
        for number, edits in enumerate(cases):
            named[f"edit/{number}"] = partial(edit_section, workspace, edits, self._verdicts)
        return named

    def _refined(self) -> dict[str, Callable[[], Any]]:
        cases = self._refinements
        if not cases:
            return {}
        steps = by_picture(self._steps)
        named: dict[str, Callable[[], Any]] = {"refine": lambda: refine_section(cases, self._by_result)}
        for number, case in enumerate(cases):
            named[f"refined/{number}"] = partial(
                refined_section, self._workspace, case, steps, self._by_result
            )
        return named

    def _from_each_model_on(self) -> list[list[str]]:
        names = list(self._results.roles())
        return [names[number:] for number in range(len(names))]

    def _case(self, case: str) -> Any:
        return case_section(self._records, self._results, case, self.films.get(case, ()))
