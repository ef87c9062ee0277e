"""Single edits in a workspace, judged and summed up as their benchmark does it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from convergebench.analysis.judged.benchmark_scores import BenchmarkRow, VerdictRow
from convergebench.benchmarks.gedit import mini as gedit_mini
from convergebench.benchmarks.gedit import suite as gedit
from convergebench.benchmarks.gedit.sums import RUBRICS as GEDIT_RUBRICS
from convergebench.benchmarks.gedit.sums import gedit_table
from convergebench.benchmarks.reedit import mini as reedit_mini
from convergebench.benchmarks.reedit import suite as reedit
from convergebench.benchmarks.reedit.sums import reedit_table
from convergebench.benchmarks.reedit.sums import rubrics_of as reedit_rubrics
from convergebench.benchmarks.wiseedit import mini as wiseedit_mini
from convergebench.benchmarks.wiseedit import suite as wiseedit
from convergebench.benchmarks.wiseedit.sums import rubrics_of as wiseedit_rubrics
from convergebench.benchmarks.wiseedit.sums import wiseedit_table
from convergebench.engine.judging.candidates import JudgingCandidate, judging_candidates
from convergebench.engine.judging.judge_tasks import JudgingOutcome, JudgingProgress, judge_in_run
from convergebench.engine.judging.reference_pictures import store_references
from convergebench.engine.run_limits import DEFAULT_LIMITS, RunLimits
from convergebench.errors import WrongUse
from convergebench.judges import Judge, Subject, Verdict, rubric
from convergebench.protocols import one_shot
from convergebench.store import IS_NEWEST, Workspace
from convergebench.suites.sampling import Sampling
from convergebench.types import Case, Suite


@dataclass(frozen=True)
class JudgedBenchmark:
    """A suite of single edits for a judge: where its cases come from, who judges what, and the sum."""

    load: Callable[[str, str, Sampling], Suite]
    """From data, language and choice; empty texts mean the usual."""
    ids: Callable[[str, str], frozenset[str]]
    rubrics_of: Callable[[str], Sequence[str]]
    """Of a subset."""
    table: Callable[[str, Sequence[VerdictRow]], list[BenchmarkRow]]


@dataclass(frozen=True)
class Scored:
    rows: list[BenchmarkRow]
    judged: JudgingOutcome


def benchmark_of(suite: str) -> JudgedBenchmark:
    name = suite.partition("@")[0]
    if name not in BENCHMARKS:
        raise WrongUse(f"{name} has no judged scores; choose from {', '.join(BENCHMARKS)}")
    return BENCHMARKS[name]


async def score_suite(
    workspace: Workspace,
    suite: Suite,
    judge: Judge,
    *,
    models: Sequence[str] = (),
    repeats: int = 1,
    judge_in_english: bool = False,
    limits: RunLimits = DEFAULT_LIMITS,
    retry_missing: bool = False,
    progress: JudgingProgress | None = None,
) -> Scored:
    """Judge the suite's cases in the workspace and sum the verdicts up, with what is missing and why.

    Each language is judged by its own instruction; `judge_in_english` shows the judge the English one for
    all, as published figures of WiseEdit do. `retry_missing`
    asks again for verdicts that are missing.
    """
    name = full_name(suite)
    edits = _edits(workspace, name, models)
    if not edits:
        raise WrongUse(
            f"{workspace.folder} holds no edits of {name}; run a model on it or give a list of edits"
        )
    store_references(workspace.pictures, suite.cases)
    tasks = _to_judge(workspace, suite, models, repeats, judge_in_english)
    settings = {"command": "score", "suite": name, "repeats": repeats}
    judged = await judge_in_run(
        [one.task for one in tasks], judge, workspace, settings, limits, retry_missing, progress
    )
    rows = _verdict_rows(suite, edits, zip(tasks, judged.verdicts, strict=True), repeats)
    return Scored(benchmark_of(suite.name).table(suite.name, rows), judged)


def full_name(suite: Suite) -> str:
    return f"{suite.name}@{suite.version}"


def _to_judge(
    workspace: Workspace, suite: Suite, models: Sequence[str], repeats: int, in_english: bool
) -> list[JudgingCandidate]:
    cases = {case.id: case for case in suite.cases}
    names = {case.category: tuple(benchmark_of(suite.name).rubrics_of(case.category)) for case in suite.cases}
    rubrics = [rubric(name) for name in dict.fromkeys(name for group in names.values() for name in group)]
    return [
        replace(
            one, task=replace(one.task, subject=_shown(one.task.subject, cases[one.place.case], in_english))
        )
        for one in judging_candidates(
            workspace, rubrics, suite=full_name(suite), models=models, repeats=repeats
        )
        if one.place.case in cases and one.task.rubric.id in names[one.place.category]
    ]


def _shown(subject: Subject, case: Case, in_english: bool) -> Subject:
    english = case.hints.get(wiseedit.ENGLISH) if in_english else None
    return Subject(subject.pictures, {**subject.texts, "instruction": english}) if english else subject


@dataclass(frozen=True)
class _Edit:
    model: str
    case: str
    seed: int


_NEWEST = f"""
    SELECT t.editor, t.seed, e.name, c.id AS case_id, s.picture, s.reason, max(s.id) AS last
    FROM trajectories t
    JOIN editors e ON e.fingerprint = t.editor
    JOIN cases c ON c.fingerprint = t.case_fingerprint
    LEFT JOIN steps s ON s.trajectory = t.id
    WHERE t.protocol = ? AND c.suite = ? AND {IS_NEWEST}
    GROUP BY t.id ORDER BY t.id
"""
_SHARED_NAMES = """
    SELECT e.name FROM editors e WHERE EXISTS (
        SELECT 1 FROM trajectories t JOIN steps s ON s.trajectory = t.id WHERE t.editor = e.fingerprint)
    GROUP BY e.name HAVING count(*) > 1
"""


def _edits(workspace: Workspace, suite: str, models: Sequence[str]) -> dict[_Edit, str | None]:
    """Every edit of the suite that was begun, and why it has no picture, if it has none."""
    shared = {row["name"] for row in workspace.query(_SHARED_NAMES)}
    found: dict[_Edit, str | None] = {}
    for row in workspace.query(_NEWEST, one_shot().name, suite):
        model = f"{row['name']}@{row['editor'][:6]}" if row["name"] in shared else row["name"]
        if models and not {model, row["name"]} & set(models):
            continue
        reason = None if row["picture"] else f"no picture: {row['reason'] or 'not edited yet'}"
        found[_Edit(model, row["case_id"], row["seed"])] = reason
    return found


def _verdict_rows(
    suite: Suite,
    edits: Mapping[_Edit, str | None],
    judged: Iterable[tuple[JudgingCandidate, Verdict | None]],
    repeats: int,
) -> list[VerdictRow]:
    """One row for every model, case, rubric and repeat that there should be."""
    verdicts = {
        (_Edit(one.place.model, one.place.case, one.place.seed), one.task.rubric.id, one.task.repeat): verdict
        for one, verdict in judged
    }
    seeds: dict[tuple[str, str], list[int]] = {}
    for edit in edits:
        seeds.setdefault((edit.model, edit.case), []).append(edit.seed)
    rows = []
    for model in dict.fromkeys(edit.model for edit in edits):
        for case in suite.cases:
            for edit in (_Edit(model, case.id, seed) for seed in seeds.get((model, case.id), [0])):
                absent = edits.get(edit, "no picture: not edited yet")
                for name in benchmark_of(suite.name).rubrics_of(case.category):
                    rows += [
                        _verdict_row(edit, case, name, repeat, absent, verdicts.get((edit, name, repeat)))
                        for repeat in range(repeats)
                    ]
    return rows


def _verdict_row(
    edit: _Edit, case: Case, rubric_id: str, repeat: int, absent: str | None, verdict: Verdict | None
) -> VerdictRow:
    value = verdict.value if verdict else None
    missing = absent or (f"verdict {verdict.outcome.replace('_', ' ')}" if verdict else "not judged yet")
    return VerdictRow(
        edit.model, case.id, case.category, case.language, case.source.id, rubric_id,
        value, missing if value is None else None, edit.seed, repeat,
    )  # fmt: skip


def _ids(suite: Suite) -> frozenset[str]:
    return frozenset(case.id for case in suite.cases)


def _wiseedit_data(data: str) -> str:
    if not data:
        raise WrongUse("WiseEdit is read from a local copy; name its folder with --data")
    return data


def _reedit_data(data: str, language: str) -> str:
    _check_english(language)
    if not data:
        raise WrongUse("RE-Edit is read from its file; name RE-Edit.json with --data")
    return data


def _check_english(language: str) -> None:
    if language not in ("", "en"):
        raise WrongUse(f"RE-Edit is read in English, not in {language!r}; leave the language out")


def _reedit_mini(language: str, choice: Sampling) -> Suite:
    _check_english(language)
    return reedit_mini.load_reedit_mini(choice)


_GEDIT = JudgedBenchmark(
    load=lambda data, language, choice: gedit.load_gedit(data or gedit.HUB_ID, language or "en", choice),
    ids=lambda data, language: gedit.gedit_ids(data or gedit.HUB_ID, language or "en"),
    rubrics_of=lambda subset: tuple(GEDIT_RUBRICS),
    table=gedit_table,
)
_WISEEDIT = JudgedBenchmark(
    load=lambda data, language, choice: wiseedit.load_wiseedit(
        _wiseedit_data(data), language or wiseedit.BOTH, choice
    ),
    ids=lambda data, language: wiseedit.wiseedit_ids(_wiseedit_data(data), language or wiseedit.BOTH),
    rubrics_of=wiseedit_rubrics,
    table=wiseedit_table,
)
_REEDIT = JudgedBenchmark(
    load=lambda data, language, choice: reedit.load_reedit(_reedit_data(data, language), choice),
    ids=lambda data, language: reedit.reedit_ids(_reedit_data(data, language)),
    rubrics_of=reedit_rubrics,
    table=reedit_table,
)
BENCHMARKS: Mapping[str, JudgedBenchmark] = {
    gedit.NAME: _GEDIT,
    gedit_mini.NAME: replace(
        _GEDIT,
        load=lambda data, language, choice: gedit_mini.load_gedit_mini(language or "en", choice),
        ids=lambda data, language: _ids(gedit_mini.load_gedit_mini(language or "en")),
    ),
    reedit.NAME: _REEDIT,
    reedit_mini.NAME: replace(
        _REEDIT,
        load=lambda data, language, choice: _reedit_mini(language, choice),
        ids=lambda data, language: _ids(_reedit_mini(language, Sampling())),
    ),
    wiseedit.NAME: _WISEEDIT,
    wiseedit_mini.NAME: replace(
        _WISEEDIT,
        load=lambda data, language, choice: wiseedit_mini.load_wiseedit_mini(
            language or wiseedit.BOTH, choice
        ),
        ids=lambda data, language: _ids(wiseedit_mini.load_wiseedit_mini(language or wiseedit.BOTH)),
    ),
}
