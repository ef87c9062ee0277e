"""Refine from beginning to end: edit, look, edit again, judge, sum up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from convergebench import api, editors, engine, suites
from convergebench._version import __version__
from convergebench.analysis.refined import RefinedCase, refinements
from convergebench.engine import Outcome, Plan, Watch
from convergebench.engine.judging import Judged, Onlooker, judge_tasks
from convergebench.engine.refining import refine_plan
from convergebench.engine.refining_plan import Pipeline, RefinePlan
from convergebench.errors import WrongUse
from convergebench.judges import Judge, Verdict, open_judge
from convergebench.metrics import Ruler
from convergebench.picture import Picture
from convergebench.protocols import one_shot
from convergebench.refining.judging import Judgement, judgements
from convergebench.refining.settings import Refining, refining_of
from convergebench.store import Workspace
from convergebench.suites.choice import Choice, chosen
from convergebench.types import Case, Editor, SourcePicture, Suite

PICTURE_SUITE = "pictures"


@dataclass(frozen=True)
class Refined:
    """What came of it."""

    settings: Refining
    suite: str
    cases: Sequence[RefinedCase]
    outcome: Outcome
    """A RefineOutcome, unless nothing was to be refined."""
    judged: Judged | None
    judgements: Sequence[Judgement]
    verdicts: Mapping[int, Verdict | None]
    """By place among the judgements; those without a picture have none."""


@dataclass(frozen=True)
class Prepared:
    """All that the settings name, opened; nothing is asked yet."""

    settings: Refining
    suite: str
    cases: tuple[Case, ...]
    models: tuple[Editor, ...]
    pipelines: tuple[Pipeline, ...]
    """None where nothing is to be refined."""
    judge: Judge | None

    @property
    def plan(self) -> RefinePlan:
        wanted = self.settings
        return RefinePlan(
            self.suite, self.cases, self.pipelines, (wanted.seed,), wanted.rounds, wanted.chained
        )


def refine(models: Sequence[str] | str, **settings: Any) -> Refined:
    """Refine a suite, or one picture, or go on with it. `settings` are those of `Refining`."""
    prepared = prepare(refining_of({"models": models, **settings}))
    with Workspace.create(Path(prepared.settings.workspace)) as workspace:
        return carry_out(prepared, workspace)


def prepare(settings: Refining, *, for_preview: bool = False) -> Prepared:
    """Load the suite, and open who edits, looks and judges. For a preview keys may be missing."""
    opened = editors.known_editor if for_preview else editors.open_editor
    models = tuple(opened(name) for name in dict.fromkeys(settings.models))
    pipelines: tuple[Pipeline, ...] = ()
    if settings.rounds:
        reasoner = open_judge(settings.reasoner_name)
        executor = opened(settings.executor) if settings.executor else None
        pipelines = tuple(Pipeline(model, reasoner, executor or model) for model in models)
    suite = _one_picture(settings) if settings.image else _suite(settings)
    judge = open_judge(settings.judge_name) if settings.judge else None
    prepared = Prepared(settings, f"{suite.name}@{suite.version}", suite.cases, models, pipelines, judge)
    _check_prices(prepared)
    return prepared


def carry_out(
    prepared: Prepared,
    workspace: Workspace,
    *,
    watch: Watch | None = None,
    onlooker: Onlooker | None = None,
) -> Refined:
    """Everything that is not done yet; what is done is taken from the workspace."""
    settings = prepared.settings
    told = {"command": "refine", **asdict(settings), "suite": prepared.suite}
    run = workspace.start_run(told, __version__)
    ending = "failed"
    try:
        outcome = _edited(prepared, workspace, run, watch)
        cases = _cases(prepared, workspace)
        refined = _judged(prepared, workspace, run, outcome, cases, onlooker)
        interrupted = outcome.interrupted or (refined.judged is not None and refined.judged.interrupted)
        ending = "interrupted" if interrupted else "finished"
    finally:
        workspace.finish_run(run, ending)
    return refined


def _edited(prepared: Prepared, workspace: Workspace, run: int, watch: Watch | None) -> Outcome:
    wanted = prepared.settings
    if not prepared.pipelines:
        plan = Plan(prepared.suite, one_shot(), prepared.cases, prepared.models, (wanted.seed,))
        return api.run_coroutine(
            engine.run_plan(
                plan, workspace, Ruler(()), run=run, concurrency=wanted.workers,
                per_minute=wanted.per_minute, max_cost_usd=wanted.max_cost_usd, watch=watch,
            )
        )  # fmt: skip
    return api.run_coroutine(
        refine_plan(
            prepared.plan, workspace, run=run, concurrency=wanted.workers,
            reasoner_concurrency=wanted.reasoner_workers, per_minute=wanted.per_minute,
            max_cost_usd=wanted.max_cost_usd, retry_missing=wanted.retry_missing, watch=watch,
        )
    )  # fmt: skip


def _cases(prepared: Prepared, workspace: Workspace) -> list[RefinedCase]:
    """Those of this plan alone, in the suite's order."""
    if prepared.pipelines:
        who = [one.facts.fingerprint for one in prepared.pipelines]
        protocol = prepared.plan.protocol
    else:
        who = [model.facts.fingerprint for model in prepared.models]
        protocol = one_shot().name
    order = {case.fingerprint: place for place, case in enumerate(prepared.cases)}
    found = refinements(workspace, suite=prepared.suite, editors=who, protocols=(protocol,))
    own = [one for one in found if one.fingerprint in order and one.seed == prepared.settings.seed]
    return sorted(own, key=lambda one: (one.model, order[one.fingerprint]))


def _judged(
    prepared: Prepared,
    workspace: Workspace,
    run: int,
    outcome: Outcome,
    cases: Sequence[RefinedCase],
    onlooker: Onlooker | None,
) -> Refined:
    settings, judge = prepared.settings, prepared.judge
    if judge is None:
        return Refined(settings, prepared.suite, cases, outcome, None, (), {})
    first = 0 if settings.judge_primary or not settings.rounds else 1
    made = judgements(cases, range(first, settings.rounds + 1), settings.grades)
    asked = {place: one.task for place, one in enumerate(made) if one.task is not None}
    if outcome.interrupted or outcome.out_of_budget:
        return Refined(settings, prepared.suite, cases, outcome, None, made, {})
    left = None if settings.max_cost_usd is None else max(settings.max_cost_usd - outcome.spent_usd, 0.0)
    judged = api.run_coroutine(
        judge_tasks(
            list(asked.values()), judge, workspace, run=run, concurrency=settings.judge_workers,
            per_minute=settings.per_minute, max_cost_usd=left, retry_missing=settings.retry_missing,
            onlooker=onlooker,
        )
    )  # fmt: skip
    verdicts = dict(zip(asked, judged.verdicts, strict=True))
    return Refined(settings, prepared.suite, cases, outcome, judged, made, verdicts)


def _suite(settings: Refining) -> Suite:
    name = settings.suite
    if settings.data:
        name += f"{'&' if '?' in name else '?'}data={settings.data}"
    suite = suites.load(name)
    choice = Choice(settings.categories, settings.per_category, settings.limit, settings.sampling_seed)
    cases = tuple(chosen(suite.cases, lambda case: case.category, choice))
    return Suite(suite.name, suite.version, cases)


def _one_picture(settings: Refining) -> Suite:
    path = Path(settings.image)
    picture = Picture.from_file(path)
    source = SourcePicture(path.stem, path, picture.digest)
    hints = {"description": settings.description} if settings.description else {}
    return Suite(PICTURE_SUITE, "1", (Case(path.stem, (source,), settings.instruction, hints=hints),))


def _check_prices(prepared: Prepared) -> None:
    """What has no price cannot be held by a limit on cost."""
    if prepared.settings.max_cost_usd is None:
        return
    edits = {model.facts.name: model.facts.price_usd for model in prepared.models}
    edits |= {one.executor.facts.name: one.executor.facts.price_usd for one in prepared.pipelines}
    asked = [one.reasoner for one in prepared.pipelines[:1]] + ([prepared.judge] if prepared.judge else [])
    unknown = [name for name, price in edits.items() if price is None]
    unknown += [one.facts.name for one in asked if one.facts.prices is None]
    if unknown:
        raise WrongUse(
            f"the price of {', '.join(unknown)} is unknown, so --max-cost cannot hold it; leave it out, or "
            "add ?usd_per_million_in=…&usd_per_million_out=… to the name of a reasoner or judge"
        )
