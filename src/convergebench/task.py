"""A complete evaluation from one call or file: models, suite, judge, and the resulting table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from convergebench import api, editors
from convergebench.analysis.judged.benchmark_scores import BenchmarkRow
from convergebench.benchmarks.registry import benchmark_of
from convergebench.engine import Plan, RunLimits, RunOutcome
from convergebench.engine.judging.judge_tasks import JudgingOutcome
from convergebench.errors import WrongUse
from convergebench.importing.external_edits import Coverage, coverage, import_edits, read_edits
from convergebench.judges import Judge, open_judge
from convergebench.judges.registry import name_with_settings
from convergebench.protocols import one_shot
from convergebench.scoring import Scored, score_suite
from convergebench.settings_file import path_field, path_or_name_field, read_settings
from convergebench.store import Workspace
from convergebench.suites.sampling import Sampling
from convergebench.types import Parameter, Suite, SuiteId


@dataclass(frozen=True)
class Task:
    """Its fields are the keys of a task file."""

    suite: str
    models: tuple[str, ...]
    edits: str = path_field()
    """Existing pictures by the one model in `models`; nothing is edited then."""
    data: str = path_or_name_field()
    language: str = ""
    subsets: tuple[str, ...] = ()
    limit: int | None = None
    per_subset: int | None = None
    limit_per_subset: int | None = None
    """The first cases of each subset, as EvalScope's `limit` takes them."""
    seed: int = 0
    judge: str = ""
    """By default nothing is judged."""
    judge_settings: Mapping[str, Parameter] = field(default_factory=dict)
    """Such as temperature; they are part of the judge's name."""
    judge_in_english: bool = False
    prompts: str = path_field()
    """A copy of the benchmark's repository, whose published wording is used, or rubrics of your own."""
    as_published: bool = False
    """Also give figures by the benchmark's own treatment of missing data."""
    repeats: int = 1
    """Verdicts per picture."""
    workers: int = 8
    """Parallel edits per model."""
    judge_workers: int | None = None
    max_cost_usd: float | None = None
    """Limit for editing and judging together."""
    max_total_usd: float | None = None
    """Of the workspace, over all runs and processes."""
    workspace: str = path_field("results")

    def __post_init__(self) -> None:
        if not self.models:
            raise WrongUse("the task has no models; add models")
        if self.edits and len(self.models) != 1:
            raise WrongUse("models must name the one model that made the edits")
        _ = self.limits

    @property
    def limits(self) -> RunLimits:
        return RunLimits(
            self.workers,
            self.judge_workers,
            max_cost_usd=self.max_cost_usd,
            max_total_usd=self.max_total_usd,
        )

    @property
    def judge_name(self) -> str:
        return name_with_settings(self.judge, self.judge_settings)


@dataclass(frozen=True)
class TaskResult:
    suite: SuiteId
    outcome: RunOutcome | None
    """Outcome of editing; None for existing pictures."""
    coverage: Coverage | None
    """Coverage of the suite by existing pictures."""
    scored: Scored | None
    """None without a judge, and if editing was interrupted."""

    @property
    def rows(self) -> Sequence[BenchmarkRow]:
        return self.scored.rows if self.scored else ()

    @property
    def judged(self) -> JudgingOutcome | None:
        return self.scored.judged if self.scored else None

    @property
    def is_complete(self) -> bool:
        """Whether every sample has every verdict; True if nothing was judged."""
        return self.scored is None or self.scored.is_complete


def run_task(task: Task | str | Path) -> TaskResult:
    """Run a task, or the one in a YAML file; finished work is reused."""
    task = task if isinstance(task, Task) else read_task(Path(task))
    benchmark = benchmark_of(task.suite)
    judge = _open_judge(task) if task.judge else None
    choice = Sampling(task.subsets, task.per_subset, task.limit, task.seed, task.limit_per_subset)
    suite = benchmark.load(task.suite, task.data, task.language, choice)
    with Workspace.create(Path(task.workspace)) as workspace:
        outcome, covered = None, None
        if task.edits:
            known = benchmark.case_ids(task.suite, task.data, task.language)
            found = read_edits(Path(task.edits), task.models[0], benchmark.results, task.language, known)
            named = coverage(found, [case.id for case in suite.cases], known)
            covered = import_edits(workspace, Path(task.edits), suite, task.models[0], named)
            names = task.models
        else:
            outcome, names = _edit(task, suite, workspace)
        scored = None
        if judge and not (outcome and outcome.interrupted):
            scored = _judge(task, suite, names, workspace, judge, outcome)
    return TaskResult(suite.id, outcome, covered, scored)


def read_task(path: Path) -> Task:
    """A task from a YAML file. Paths in it are relative to the file; a .env beside it is loaded first."""
    return read_settings(Task, path, "task")


def _edit(task: Task, suite: Suite, workspace: Workspace) -> tuple[RunOutcome, tuple[str, ...]]:
    built = tuple(api.open_different(task.models, editors.open_editor))
    task.limits.check_prices(editor.facts for editor in built)
    settings = api.Settings(
        task.models, suite=task.suite, rounds=1, limit=task.limit, concurrency=task.workers,
        max_cost_usd=task.max_cost_usd, max_total_usd=task.max_total_usd, metrics=(),
    )  # fmt: skip
    plan = Plan(suite.id, one_shot(), suite.cases, built, (0,))
    outcome = api.execute(plan, settings, workspace)
    return outcome, tuple(editor.facts.title for editor in built)


def _open_judge(task: Task) -> Judge:
    judge = open_judge(task.judge_name)
    task.limits.check_prices(judges=[judge.facts])
    return judge


def _judge(
    task: Task,
    suite: Suite,
    models: Sequence[str],
    workspace: Workspace,
    judge: Judge,
    outcome: RunOutcome | None,
) -> Scored:
    """Judge with the budget left by editing."""
    return api.run_coroutine(
        score_suite(
            workspace,
            suite,
            judge,
            models=models,
            repeats=task.repeats,
            judge_in_english=task.judge_in_english,
            prompts=task.prompts,
            as_published=task.as_published,
            limits=task.limits.after(outcome.spent_usd if outcome else 0.0),
        )
    )
