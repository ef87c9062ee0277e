"""From settings to what they name: the suite, and who edits, looks and judges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from convergebench import editors, suites
from convergebench.benchmarks.registry import refinement_figures
from convergebench.engine.refining.plan import Pipeline, RefinePlan
from convergebench.errors import WrongUse
from convergebench.judges import Judge, open_judge
from convergebench.judges.registry import PROVIDERS
from convergebench.picture import Picture
from convergebench.refinement.judging import rubrics_for
from convergebench.refinement.settings import RefinementSettings
from convergebench.results import SuiteId
from convergebench.suites.sampling import Sampling, sample
from convergebench.types import Case, SourcePicture, Suite

PICTURE_SUITE = "pictures"


@dataclass(frozen=True)
class PreparedRefinement:
    """All that the settings name, opened; nothing is asked yet."""

    settings: RefinementSettings
    suite: str
    cases: tuple[Case, ...]
    pipelines: tuple[Pipeline, ...]
    """One for each model."""
    judge: Judge | None

    @property
    def plan(self) -> RefinePlan:
        wanted = self.settings
        return RefinePlan(
            self.suite, self.cases, self.pipelines, (wanted.seed,), wanted.rounds, wanted.chained
        )

    @property
    def judged_rounds(self) -> Sequence[int]:
        """After which rounds a picture is judged; 0 is the primary one."""
        first = 0 if self.settings.judge_primary or not self.settings.rounds else 1
        return range(first, self.settings.rounds + 1)

    @property
    def most_judgements(self) -> int:
        """Of which many may be there, or be one, where a picture stays as it is."""
        figures, grades = refinement_figures(self.suite), self.settings.grades
        rubrics = sum(len(list(rubrics_for(case.category, grades, figures))) for case in self.cases)
        return rubrics * len(self.judged_rounds) * len(self.pipelines)

    @property
    def judges_beside(self) -> bool:
        """Whether the judge works while there are edits to make. One that is loaded on this machine waits
        where editors or the reasoner are too: together they may not fit into its memory."""
        if self.judge is None or not _is_loaded_here(self.judge):
            return True
        edits_here = any(
            editor.facts.price_usd == 0 for one in self.pipelines for editor in (one.primary, one.executor)
        )
        return not edits_here and not any(
            one.reasoner and _is_loaded_here(one.reasoner) for one in self.pipelines
        )


def _is_loaded_here(judge: Judge) -> bool:
    return PROVIDERS[judge.facts.provider].free


def prepare(settings: RefinementSettings, *, for_preview: bool = False) -> PreparedRefinement:
    """Load the suite, and open who edits, looks and judges. For a preview keys may be missing."""
    opened = editors.known_editor if for_preview else editors.open_editor
    models = [opened(name) for name in dict.fromkeys(settings.models)]
    reasoner, executor = None, None
    if settings.rounds:
        reasoner = open_judge(settings.reasoner_name)
        executor = opened(settings.executor) if settings.executor else None
    pipelines = tuple(Pipeline(model, reasoner, executor or model) for model in models)
    suite = _one_picture(settings) if settings.image else _suite(settings)
    judge = open_judge(settings.judge_name) if settings.judge else None
    name = str(SuiteId(suite.name, suite.version))
    prepared = PreparedRefinement(settings, name, suite.cases, pipelines, judge)
    _check_prices(prepared)
    return prepared


def _suite(settings: RefinementSettings) -> Suite:
    name = settings.suite
    if settings.data:
        name += f"{'&' if '?' in name else '?'}data={settings.data}"
    suite = suites.load(name)
    choice = Sampling(settings.categories, settings.per_category, settings.limit, settings.sampling_seed)
    cases = tuple(sample(suite.cases, lambda case: case.category, choice))
    return Suite(suite.name, suite.version, cases)


def _one_picture(settings: RefinementSettings) -> Suite:
    path = Path(settings.image)
    picture = Picture.from_file(path)
    source = SourcePicture(path.stem, path, picture.digest)
    hints = {"description": settings.description} if settings.description else {}
    return Suite(PICTURE_SUITE, "1", (Case(path.stem, (source,), settings.instruction, hints=hints),))


def _check_prices(prepared: PreparedRefinement) -> None:
    """What has no price cannot be held by a limit on cost."""
    if prepared.settings.max_cost_usd is None:
        return
    edits = [editor.facts for one in prepared.pipelines for editor in (one.primary, one.executor)]
    asked = [one for one in (prepared.pipelines[0].reasoner, prepared.judge) if one is not None]
    unknown = [facts.name for facts in edits if facts.price_usd is None]
    unknown += [one.facts.name for one in asked if one.facts.prices is None]
    if unknown:
        raise WrongUse(
            f"the price of {', '.join(dict.fromkeys(unknown))} is unknown, so --max-cost cannot hold it; "
            "leave it out, or add ?usd_per_million_in=…&usd_per_million_out=… to the name of a reasoner or "
            "judge"
        )
