"""The Python API: run a benchmark, open a workspace, read its results."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from convergebench import editors, engine, metrics, suites
from convergebench.analysis import Ranking, Results, WorstCase, headline_rankings
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
from convergebench.engine.judging.reference_pictures import store_references
from convergebench.engine.ray.replica_pool import Scale
from convergebench.engine.ray.run import run_plan_on_ray
from convergebench.engine.target_pictures import store_targets
from convergebench.errors import MissingExtra, WrongUse
from convergebench.instructions.fill_inverses import check_inverses, with_inverses
from convergebench.metrics import MetricOptions, MetricSet
from convergebench.picture import Picture
from convergebench.protocols import protocol_cases
from convergebench.results import Records, SuiteId, load_results
from convergebench.results.worst_regions import WorstRegions, worst_regions
from convergebench.store import Selection, Workspace
from convergebench.suites.own_edits import EDITS_PREFIX
from convergebench.types import Digest, Edited, Editor, EditRequest, Pixels, SeedPolicy, Suite

if TYPE_CHECKING:
    import pandas

    from convergebench import report

T = TypeVar("T")

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
    metrics: tuple[str, ...] = metrics.DEFAULT_MEASURED
    clip: str | None = None
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


def run(
    models: Sequence[str] | str,
    suite: str = "converge",
    rounds: int = 10,
    *,
    workspace: str | Path = "results",
    fresh: bool = False,
    **settings: Any,
) -> Benchmark:
    """Run or continue a benchmark, and open its results. `settings` are the fields of `Settings`."""
    names = (models,) if isinstance(models, str) else tuple(models)
    chosen = Settings(names, suite, rounds, **{k: _as_tuple(v) for k, v in settings.items()})
    plan = make_plan(chosen)
    with Workspace.create(Path(workspace), chosen.pictures_at) as store:
        outcome = execute(plan, chosen, store, fresh=fresh)
    return replace(open(workspace), outcome=outcome)


def open(workspace: str | Path = "results", models: Sequence[str] = ()) -> Benchmark:
    """Open a workspace for reading: all models that are not hidden, or those named."""
    return Benchmark(Workspace.existing(Path(workspace), Selection(models=tuple(models))))


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
    name = str(SuiteId(suite.name, suite.version, exercised.part))
    return Plan(name, exercised.protocol, cases, tuple(built), seeds, settings.seed_policy)


def load_suite(name: str, edits: str | None = None, on_package: suites.OnPackage = lambda _: None) -> Suite:
    """The suite, with the edits of a file instead of its own if one is given, and inverses filled in."""
    suite = suites.load(name or f"{EDITS_PREFIX}{edits}", on_package)
    if name and edits is not None:
        suite = suites.with_own_edits(suite, suites.read_own_edits(Path(edits)))
    return replace(suite, cases=with_inverses(suite.cases))


def open_different(models: Sequence[str], open_editor: Callable[[str], Editor]) -> list[Editor]:
    """The editors with these names; WrongUse if two names mean the same one."""
    built: dict[Digest, tuple[str, Editor]] = {}
    for model in dict.fromkeys(models):
        editor = open_editor(model)
        known, _ = built.setdefault(editor.facts.fingerprint, (model, editor))
        if known != model:
            raise WrongUse(f"{known} and {model} are the same model; name one of them")
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
    with workspace.run({**asdict(settings), "suite": plan.suite, SUITE_ARGUMENT: settings.suite}) as run:
        outcome = run_coroutine(_run_plan(plan, settings, workspace, run.id, fresh, progress))
        run.interrupted = outcome.interrupted
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
    options = MetricOptions(settings.clip, settings.device)
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


@dataclass(frozen=True)
class Benchmark:
    """A workspace opened for reading: results, data frames, tables and files."""

    workspace: Workspace
    outcome: RunOutcome | None = None
    """Outcome of the run, if it was returned by `run`."""

    def results(self, suite: str | None = None, models: Sequence[str] = ()) -> Results:
        return load_results(self.workspace, suite, models)

    def ranking(
        self, metric: str | None = None, round: int | None = None, suite: str | None = None
    ) -> Ranking:
        """Rank by what a person sees, or by the given metric and round."""
        ((_, ranked), *_) = headline_rankings(self.results(suite), metric, round)
        return ranked

    def frame(self, suite: str | None = None) -> pandas.DataFrame:
        """Every return against its source, one row per metric; `missing` has the reason for a missing value.

        Like all results it covers one suite, by default that of the last run, and its reversible edits; the
        suite's name followed by /partial gives the others.
        """
        return _frame(
            {**_place(item), "metric": m.metric, "value": m.value, "missing": m.missing, "version": m.version}
            for item in self.results(suite).returns
            for m in item.values.values()
        )

    def returns(self, suite: str | None = None) -> pandas.DataFrame:
        """The same returns, one per row, with one column per metric."""
        return _frame(
            {**_place(item), "digest": item.digest, **{m.metric: m.value for m in item.values.values()}}
            for item in self.results(suite).returns
        )

    def plot(self, path: str | Path) -> Path:
        from convergebench import report

        report.plot_curves(self.results(), Path(path))
        return Path(path)

    def grid(self, path: str | Path, columns: int = 6) -> Path:
        from convergebench import report

        report.picture_grid(self.grid_rows(self.results(), columns), Path(path))
        return Path(path)

    def grid_rows(self, results: Results, columns: int = 6) -> Sequence[report.GridRow]:
        from convergebench import report

        return report.grid_rows(
            results, partial(self._source, results.suite), self._picture, results.chief, columns
        )

    def worst_regions(self, results: Results) -> WorstRegions:
        """Where each return differs most from its source, by case and return."""
        return worst_regions(Records.of(self.workspace), results)

    def worst_crops(self, cases: Sequence[WorstCase], regions: WorstRegions, path: str | Path) -> Path:
        """Draw the worst regions of these returns beside those of their sources, magnified."""
        from convergebench import report

        rows = report.worst_crop_rows(cases, regions, self._picture)
        if not rows:
            raise WrongUse(
                "no worst region is known of these returns; measure them with convergebench measure"
            )
        report.picture_grid(rows, Path(path))
        return Path(path)

    def export(self, folder: str | Path) -> list[Path]:
        """The CSV files: those of the original benchmark, all measurements, and missing values."""
        from convergebench import report

        return report.export_as("csv", self.workspace, Path(folder))

    def close(self) -> None:
        self.workspace.close()

    def __enter__(self) -> Benchmark:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _picture(self, digest: str) -> Pixels:
        return self.workspace.pictures.load(digest).pixels

    def _source(self, suite: str, picture: str) -> Pixels:
        beginnings = Records.of(self.workspace).beginnings(suite)
        digests = {one.case.picture: digest for one, digest in beginnings}
        return self._picture(digests[picture])


def _place(item: Any) -> dict[str, Any]:
    names = ("model", "role", "case", "picture", "pair", "kind", "category", "seed", "round")
    return {name: getattr(item, name) for name in names}


def _frame(rows: Any) -> pandas.DataFrame:
    try:
        import pandas
    except ImportError as error:
        raise MissingExtra("pandas", "frames") from error
    return pandas.DataFrame(list(rows))


def _as_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def run_coroutine(work: Coroutine[Any, Any, T]) -> T:
    """Run to completion, also inside a running event loop, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()
