"""A whole task in one call or one file: who edits what, who judges it, and the table that comes of it."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from convergebench import api, editors
from convergebench.analysis.judged.benchmark_scores import BenchmarkRow
from convergebench.benchmarks.registry import benchmark_of
from convergebench.engine import Plan, RunOutcome
from convergebench.engine.judging.judge_tasks import JudgingOutcome
from convergebench.engine.run_limits import check_allowance
from convergebench.env_file import load_env
from convergebench.errors import MissingExtra, WrongUse
from convergebench.importing.external_edits import Coverage, coverage, import_edits, read_edits
from convergebench.judges import Judge, open_judge
from convergebench.protocols import one_shot
from convergebench.scoring import Scored, full_name, score_suite
from convergebench.store import Workspace
from convergebench.suites.sampling import Sampling
from convergebench.types import Parameter, Suite

_LISTS = ("models", "subsets")


@dataclass(frozen=True)
class Task:
    """Its fields are the keys of a task file."""

    suite: str
    models: tuple[str, ...]
    edits: str = ""
    """Pictures made elsewhere, by the one model that is named; nothing is edited then."""
    data: str = ""
    language: str = ""
    subsets: tuple[str, ...] = ()
    limit: int | None = None
    per_subset: int | None = None
    seed: int = 0
    judge: str = ""
    """Nobody judges unless named."""
    judge_settings: Mapping[str, Parameter] = field(default_factory=dict)
    """Such as temperature; they are part of the judge's name."""
    judge_in_english: bool = False
    repeats: int = 1
    """Verdicts on each picture."""
    workers: int = 8
    """Edits of a model at a time."""
    judge_workers: int | None = None
    max_cost_usd: float | None = None
    """Of editing and judging together."""
    workspace: str = "results"

    def __post_init__(self) -> None:
        if not self.models:
            raise WrongUse("the task names no model; add models")
        if self.edits and len(self.models) != 1:
            raise WrongUse("say which one model made the edits; name it under models")
        check_allowance(self.max_cost_usd, None)

    @property
    def judge_name(self) -> str:
        settings = "&".join(f"{key}={value}" for key, value in self.judge_settings.items())
        if not settings:
            return self.judge
        return f"{self.judge}{'&' if '?' in self.judge else '?'}{settings}"


@dataclass(frozen=True)
class TaskResult:
    rows: Sequence[BenchmarkRow]
    """Empty if nobody judged."""
    outcome: RunOutcome | None
    """Of editing; None for edits made elsewhere."""
    coverage: Coverage | None
    """Of edits made elsewhere."""
    judged: JudgingOutcome | None


def run_task(task: Task | str | Path) -> TaskResult:
    """Carry out a task, or the one in a YAML file; what is done already is not done again."""
    asked = task if isinstance(task, Task) else read_task(Path(task))
    benchmark = benchmark_of(asked.suite)
    judge = _opened(asked) if asked.judge else None
    choice = Sampling(asked.subsets, asked.per_subset, asked.limit, asked.seed)
    suite = benchmark.load(asked.suite, asked.data, asked.language, choice)
    with Workspace.create(Path(asked.workspace)) as workspace:
        outcome, covered = None, None
        if asked.edits:
            found = read_edits(Path(asked.edits), asked.models[0], benchmark.results)
            known = benchmark.case_ids(asked.suite, asked.data, asked.language)
            covered = coverage(found, [case.id for case in suite.cases], known)
            import_edits(workspace, Path(asked.edits), suite, asked.models[0], covered)
            names = asked.models
        else:
            outcome, names = _edited(asked, suite, workspace)
        scored = _judged(asked, suite, names, workspace, judge, outcome) if judge else None
    return TaskResult(scored.rows if scored else (), outcome, covered, scored.judged if scored else None)


def read_task(path: Path) -> Task:
    """A task from a YAML file. Paths in it are relative to the file; a .env beside it is read first."""
    load_env(path.parent / ".env")
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise WrongUse(f"cannot read the task {path}: {error.strerror}; check the path") from error
    yaml = _yaml()
    try:
        content = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise WrongUse(f"{path} is not valid YAML: {' '.join(str(error).split())}; correct it") from error
    if not isinstance(content, dict):
        raise WrongUse(f"{path} must hold keys such as suite and models; see docs/benchmarks.md#tasks")
    task = task_of(content)
    return replace(
        task,
        edits=_beside(path, task.edits) if task.edits else "",
        # What is no path, such as a hub id, stays as it is.
        data=_beside(path, task.data) if Path(_beside(path, task.data)).exists() and task.data else task.data,
        workspace=_beside(path, task.workspace),
    )


def task_of(content: Mapping[str, Any]) -> Task:
    """A task from keys and values, as they come out of a file."""
    known = {one.name: one for one in fields(Task)}
    for key in content:
        if key not in known:
            near = get_close_matches(str(key), known, n=1)
            advice = f"did you mean {near[0]}?" if near else f"it takes {', '.join(known)}"
            raise WrongUse(f"a task has no {key!r}; {advice}")
    if "suite" not in content or "models" not in content:
        raise WrongUse("a task needs a suite and models; see docs/benchmarks.md#tasks")
    given: dict[str, Any] = {key: value for key, value in content.items() if value is not None}
    for key, value in given.items():
        _check_type(key, value)
        given[key] = _listed(value) if key in _LISTS else value
    return Task(**given)


def _edited(task: Task, suite: Suite, workspace: Workspace) -> tuple[RunOutcome, tuple[str, ...]]:
    built = tuple(editors.open_editor(model) for model in dict.fromkeys(task.models))
    settings = api.Settings(
        task.models, suite=task.suite, rounds=1, limit=task.limit, concurrency=task.workers,
        max_cost_usd=task.max_cost_usd, metrics=(),
    )  # fmt: skip
    plan = Plan(full_name(suite), one_shot(), suite.cases, built, (0,))
    outcome = api.execute(plan, settings, workspace)
    return outcome, tuple(editor.facts.name for editor in built)


def _opened(task: Task) -> Judge:
    judge = open_judge(task.judge_name)
    if task.max_cost_usd is not None and judge.facts.prices is None:
        raise WrongUse(
            f"the price of {judge.facts.name} is unknown, so max_cost_usd cannot hold it; add "
            "usd_per_million_in and usd_per_million_out to judge_settings"
        )
    return judge


def _judged(
    task: Task,
    suite: Suite,
    models: Sequence[str],
    workspace: Workspace,
    judge: Judge,
    outcome: RunOutcome | None,
) -> Scored:
    spent = outcome.spent_usd if outcome else 0.0
    left = None if task.max_cost_usd is None else max(task.max_cost_usd - spent, 0.0)
    return api.run_coroutine(
        score_suite(
            workspace,
            suite,
            judge,
            models=models,
            repeats=task.repeats,
            judge_in_english=task.judge_in_english,
            concurrency=task.judge_workers,
            max_cost_usd=left,
        )
    )


def _check_type(key: str, value: Any) -> None:
    wanted: dict[str, tuple[type, ...]] = {
        **dict.fromkeys(("limit", "per_subset", "seed", "repeats", "workers", "judge_workers"), (int,)),
        **dict.fromkeys(_LISTS, (str, list, tuple)),
        "max_cost_usd": (int, float),
        "judge_in_english": (bool,),
        "judge_settings": (dict,),
    }
    kinds = wanted.get(key, (str,))
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        names = " or ".join(kind.__name__ for kind in kinds)
        raise WrongUse(f"{key} in a task must be {names}, not {value!r}")


def _listed(value: Any) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(str(one) for one in value)


def _beside(file: Path, path: str) -> str:
    return str(file.parent / Path(path).expanduser())


def _yaml() -> Any:
    try:
        return importlib.import_module("yaml")
    except ImportError as error:
        raise MissingExtra("PyYAML", "task") from error
