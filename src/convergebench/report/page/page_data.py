"""The input from which the sections of the page are built."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import Any

from convergebench.analysis import Results
from convergebench.analysis.headline.chain_rounds import Chain
from convergebench.analysis.headline.headline_chains import headline_chains
from convergebench.analysis.refinement.refined_case import RefinedCase
from convergebench.report.page.breakage import returned_rounds
from convergebench.report.page.exports import StripExport
from convergebench.report.page.filmstrips import (
    Breakages,
    Filmstrip,
    filmstrips_of,
    pictures_section,
    sources_of,
    strip_export,
)
from convergebench.report.page.merge_partial import merge_partial
from convergebench.report.page.overview import cases_of
from convergebench.report.page.refinements import Judged, by_result
from convergebench.report.page.score import RoundScores, round_scores
from convergebench.report.page.single_edits import Verdicts, single_edits, verdict_numbers
from convergebench.report.page.step_index import IndexedStep, by_picture, index_steps
from convergebench.report.page.strips import strip_rounds, strips_section
from convergebench.report.page.verdicts import Judgement, judgements_of
from convergebench.results import Records
from convergebench.results.footprints import Footprints, read_footprints
from convergebench.results.refinements import refinements
from convergebench.results.steps import StepRecord
from convergebench.results.worst_regions import WorstRegions, worst_regions
from convergebench.store import Workspace


class PageData:
    """One suite in a workspace. Data that several sections need is read once."""

    def __init__(self, workspace: Workspace, results: Results, *, live: bool = False) -> None:
        self.workspace = workspace
        self.records = Records.of(workspace)
        self.ranked = results
        """For means: partially reversible edits are separate."""
        self.results = merge_partial(results)
        """For finding pictures and values: all edits together."""
        self.live = live

    @cached_property
    def chains(self) -> list[Chain]:
        """What a person sees of each; none where that was not measured."""
        return headline_chains(self.ranked) if self.ranked.has("undid") else []

    @cached_property
    def round_scores(self) -> RoundScores:
        partial = self.ranked.partial
        others = headline_chains(partial) if partial and partial.has("undid") else []
        return round_scores(self.results, [*self.chains, *others])

    @cached_property
    def steps(self) -> list[IndexedStep]:
        return index_steps(self.records)

    @cached_property
    def judgements(self) -> list[Judgement]:
        return judgements_of(self.records, by_picture(self.steps))

    @cached_property
    def judgements_by_result(self) -> Judged:
        return by_result(self.judgements)

    @cached_property
    def verdicts(self) -> Verdicts:
        return verdict_numbers(self.judgements)

    @cached_property
    def single_edits(self) -> list[list[IndexedStep]]:
        """By case."""
        return single_edits(self.steps)

    @cached_property
    def refinements(self) -> list[RefinedCase]:
        return refinements(self.records)

    @cached_property
    def filmstrips(self) -> dict[str, tuple[Filmstrip, ...]]:
        """All trajectories, by case."""
        return filmstrips_of(self.records, self.results)

    @cached_property
    def worst_regions(self) -> WorstRegions:
        return worst_regions(self.records, self.results)

    @cached_property
    def pictures(self) -> dict[str, Any]:
        return pictures_section(self.records, self.results, self.filmstrips, self.worst_regions)

    @cached_property
    def strips(self) -> list[dict[str, Any]]:
        sources = sources_of(self.records, self.results)
        return strips_section(self.ranked, self.results, sources, self.worst_regions)

    @cached_property
    def exports(self) -> dict[int, StripExport]:
        """By trajectory. A report has the strips of the overview, a live page those of all trajectories."""
        models = list(self.results.roles())
        cases = [case.id for case in cases_of(self.results)]
        chosen = {(models[one["model"]], cases[one["case"]], one["seed"]) for one in self.strips}
        sources = sources_of(self.records, self.results)
        found = {
            film.trajectory: strip_export(film, sources.get(film.case))
            for film in (film for films in self.filmstrips.values() for film in films)
            if self.live or (film.model, film.case, film.seed) in chosen
        }
        return {trajectory: one for trajectory, one in found.items() if one and self._is_whole(trajectory)}

    def _is_whole(self, trajectory: int) -> bool:
        """Whether no picture is lost. A live page answers for each file when somebody asks for it."""
        holds = self.workspace.pictures.holds
        steps = () if self.live else self.steps_taken.get(trajectory, ())
        return all(holds(step.facts) for step in steps if step.facts)

    @cached_property
    def footprints(self) -> Footprints:
        return read_footprints(self.records)

    @cached_property
    def steps_taken(self) -> dict[int, list[StepRecord]]:
        """Every step, by trajectory."""
        found: defaultdict[int, list[StepRecord]] = defaultdict(list)
        for step in self.records.steps:
            found[step.trajectory].append(step)
        return dict(found)

    @cached_property
    def breakages(self) -> Breakages:
        """A report draws the rounds of the strips, as drawing takes time; a live page draws any."""
        if not self.footprints:
            return {}
        wanted = set(strip_rounds(self.results.rounds))
        return {
            (film.trajectory, number): found
            for film in (film for films in self.filmstrips.values() for film in films)
            for number, found in returned_rounds(
                self.steps_taken.get(film.trajectory, ()),
                {item.round: item for item in film.returns},
                self.footprints,
            )
            if self.live or number in wanted
        }
