"""Opens what the settings name: the suite, editors, reasoner and judge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from convergebench import editors, suites
from convergebench.analysis.refinement.refined_case import RefinedCase
from convergebench.api import open_different
from convergebench.benchmarks.reedit.published import published_reasoner
from convergebench.benchmarks.registry import refinement_benchmark, refinement_figures
from convergebench.benchmarks.wording import chosen_rubrics, is_custom
from convergebench.engine.refining.plan import Pipeline, RefinePlan
from convergebench.instructions.categories import with_categories
from convergebench.instructions.fill_inverses import with_inverses
from convergebench.judges import Judge, Rubric, open_judge
from convergebench.judges.reasoning import ReasonerPrompts
from convergebench.judges.registry import PROVIDERS
from convergebench.picture import Picture
from convergebench.refinement.judging import RefinedJudgement, judgements, rubrics_for
from convergebench.refinement.settings import RefinementSettings
from convergebench.results.refinements import refinements
from convergebench.store import Workspace
from convergebench.suites.sampling import Sampling, sample
from convergebench.types import Case, SourcePicture, Suite, SuiteId

PICTURE_SUITE = "pictures"


@dataclass(frozen=True)
class PreparedRefinement:
    """Everything that the settings name, opened; no request has been sent yet."""

    settings: RefinementSettings
    suite: SuiteId
    cases: tuple[Case, ...]
    pipelines: tuple[Pipeline, ...]
    """One for each model."""
    judge: Judge | None
    rubrics: Mapping[str, Rubric] = field(default_factory=dict)
    """By id, in the chosen wording."""

    @property
    def wording(self) -> str:
        """Whose words the judge is asked in; empty for our own."""
        return next((one.wording for one in self.rubrics.values() if one.wording), "")

    @property
    def plan(self) -> RefinePlan:
        settings = self.settings
        return RefinePlan(
            self.suite, self.cases, self.pipelines, (settings.seed,), settings.rounds, settings.chained
        )

    @property
    def judged_rounds(self) -> Sequence[int]:
        """The rounds after which a picture is judged; 0 is the primary one."""
        first = 0 if self.settings.judge_primary or not self.settings.rounds else 1
        return range(first, self.settings.rounds + 1)

    @property
    def most_judgements(self) -> int:
        """Many of them may exist already, or coincide if a picture does not change."""
        figures, grades = refinement_figures(self.suite), self.settings.grades
        rubrics = sum(len(list(rubrics_for(case.category, grades, figures))) for case in self.cases)
        return rubrics * len(self.judged_rounds) * len(self.pipelines)

    def refined(self, workspace: Workspace, pipelines: Sequence[Pipeline]) -> list[RefinedCase]:
        """The cases of this plan that these pipelines have begun, in the suite's order."""
        who = [one.facts.fingerprint for one in pipelines]
        order = {case.fingerprint: place for place, case in enumerate(self.cases)}
        found = refinements(workspace, suite=self.suite, editors=who, protocols=(self.plan.protocol,))
        own = [one for one in found if one.fingerprint in order and one.seed == self.settings.seed]
        return sorted(own, key=lambda one: (one.model, order[one.fingerprint]))

    def judgements_of(self, cases: Sequence[RefinedCase]) -> list[RefinedJudgement]:
        """All judging tasks on what these cases have so far."""
        figures, grades = refinement_figures(self.suite), self.settings.grades
        return judgements(cases, self.judged_rounds, grades, figures, self.rubrics)

    @property
    def judges_beside(self) -> bool:
        """Whether the judge runs in parallel with editing. A judge that is loaded on this machine waits if
        editors or the reasoner are loaded here too, since they may not fit into memory together."""
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
    """Load the suite and open editors, reasoner and judge. For a preview, keys may be missing."""
    open_editor = editors.known_editor if for_preview else editors.open_editor
    models = open_different(settings.models, open_editor)
    reasoner, executor = None, None
    if settings.rounds:
        reasoner = open_judge(settings.reasoner_name)
        executor = open_editor(settings.executor) if settings.executor else None
    prompts = _reasoner_prompts(settings)
    pipelines = tuple(Pipeline(model, reasoner, executor or model, prompts) for model in models)
    suite = _one_picture(settings) if settings.image else _suite(settings)
    judge = open_judge(settings.judge_name) if settings.judge else None
    settings.limits.check_prices(
        (editor.facts for one in pipelines for editor in (one.primary, one.executor)),
        (one.facts for one in (reasoner, judge) if one is not None),
    )
    name = suite.id
    rubrics = _rubrics(settings, name, suite.cases) if judge else {}
    return PreparedRefinement(settings, name, suite.cases, pipelines, judge, rubrics)


def _reasoner_prompts(settings: RefinementSettings) -> ReasonerPrompts:
    path = Path(settings.prompts).expanduser()
    is_published = bool(settings.prompts) and not is_custom(path)
    found = published_reasoner(path) if is_published and settings.rounds else ()
    return ReasonerPrompts(found, settings.as_published)


def _rubrics(settings: RefinementSettings, suite: SuiteId, cases: Sequence[Case]) -> dict[str, Rubric]:
    benchmark, figures = refinement_benchmark(suite), refinement_figures(suite)
    names = [name for case in cases for name in rubrics_for(case.category, settings.grades, figures)]
    return chosen_rubrics(names, settings.prompts, [benchmark.published] if benchmark.published else [])


def _suite(settings: RefinementSettings) -> Suite:
    name = settings.suite
    if settings.data:
        name += f"{'&' if '?' in name else '?'}data={settings.data}"
    suite = suites.load(name)
    choice = Sampling(settings.categories, settings.per_category, settings.limit, settings.sampling_seed)
    cases = sample(suite.cases, lambda case: case.category, choice)
    return Suite(suite.name, suite.version, with_categories(with_inverses(cases)))


def _one_picture(settings: RefinementSettings) -> Suite:
    path = Path(settings.image)
    picture = Picture.from_file(path)
    source = SourcePicture(path.stem, path, picture.digest)
    hints = {"description": settings.description} if settings.description else {}
    return Suite(PICTURE_SUITE, "1", (Case(path.stem, (source,), settings.instruction, hints=hints),))
