"""A plain RE-Edit evaluation: edits, verdicts of each case's own category, and the table."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from convergebench.analysis.judged.benchmark_scores import BenchmarkRow
from convergebench.analysis.judged.pass_rate import PASSED
from convergebench.benchmarks.reedit.mini import load_reedit_mini
from convergebench.benchmarks.reedit.suite import CATEGORIES
from convergebench.benchmarks.reedit.sums import OVERALL
from convergebench.engine.judging.candidates import judging_candidates
from convergebench.judges import rubric
from convergebench.store import Workspace
from convergebench.task import Task, run_task
from servers.judge import Answer, Asked, JudgeServer, completion, graded


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONVERGEBENCH_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def judge() -> Iterator[JudgeServer]:
    with JudgeServer() as server:
        yield server


@pytest.fixture
def scored(tmp_path: Path, judge: JudgeServer) -> Callable[..., list[BenchmarkRow]]:
    def score(model: str = "jpeg", **more: Any) -> list[BenchmarkRow]:
        workspace = str(tmp_path / "results")
        return list(
            run_task(Task("reedit-mini", (model,), judge=judge.name, workspace=workspace, **more)).rows
        )

    return score


def line(rows: list[BenchmarkRow], metric: str, subset: str) -> BenchmarkRow:
    (found,) = [row for row in rows if (row.metric, row.subset) == (metric, subset)]
    return found


def instruction_of(asked: Asked) -> str:
    (text,) = [text for text in asked.texts if text.startswith("The instruction that the editor was given")]
    return text.split("<<<\n")[1].split("\n>>>")[0]


def test_each_case_is_judged_by_its_own_categorys_verdict_once(
    scored: Callable[..., list[BenchmarkRow]], judge: JudgeServer
) -> None:
    scored()
    category_of = {case.forward: case.category for case in load_reedit_mini().cases}
    prompts = {rubric(f"reedit_{category}").prompt: category for category in CATEGORIES}
    asked = [(prompts[one.texts[0]], instruction_of(one)) for one in judge.asked if one.texts[0] in prompts]
    assert Counter(asked) == {(category, text): 1 for text, category in category_of.items()}
    assert len(judge.asked) == 4 * len(category_of)


def test_the_verdict_sees_description_and_rationale_and_the_grades_do_not(
    scored: Callable[..., list[BenchmarkRow]], judge: JudgeServer
) -> None:
    scored(limit=1)
    (case,) = [one for one in load_reedit_mini().cases if one.id == "physical/001"]
    sees = {one.texts[0]: "\n".join(one.texts) for one in judge.asked}
    for name in ("reedit_physical", "reedit_sc", "reedit_if", "reedit_pq"):
        shown = sees[rubric(name).prompt]
        for hint in case.hints.values():
            assert (hint in shown) == (name == "reedit_physical")


def test_the_table_has_the_share_that_passes_in_each_category(
    scored: Callable[..., list[BenchmarkRow]], judge: JudgeServer
) -> None:
    judge.script = lambda number, asked: completion(
        graded(asked, passes="no" if re.search("umbrella|kitten", instruction_of(asked)) else "yes")
    )
    rows = scored()
    shares = {row.subset: row.score.mean for row in rows if row.metric == PASSED and row.score}
    assert shares == {
        "physical": 50.0, "environmental": 100.0, "cultural": 100.0, "causal": 50.0, "referential": 100.0,
        OVERALL: 80.0,
    }  # fmt: skip
    overall = line(rows, PASSED, OVERALL)
    assert overall.score is not None and overall.score.low is not None
    assert (overall.n, overall.missing) == (10, 0)


def test_refused_edits_and_replies_that_were_cut_off_are_missing_and_never_a_no(
    scored: Callable[..., list[BenchmarkRow]], judge: JudgeServer
) -> None:
    def cut_off_for_the_umbrella(number: int, asked: Asked) -> Answer:
        if "six points" in " ".join(asked.texts[0].split()) and "umbrella" in instruction_of(asked):
            return completion('{"reason": "yes, it stands; yes, it has a shadow; yes', finish="length")
        return completion(graded(asked))

    judge.script = cut_off_for_the_umbrella
    overall = line(scored("classical"), PASSED, OVERALL)
    assert overall.score is not None and overall.score.mean == 100.0
    assert (overall.n, overall.missing) == (7, 3)
    assert Counter(dict(overall.reasons)).total() == 3
    assert overall.reasons["verdict truncated"] == 1


def test_a_rubric_of_a_category_judges_no_other_cases(
    scored: Callable[..., list[BenchmarkRow]], tmp_path: Path
) -> None:
    scored()
    with Workspace.existing(tmp_path / "results") as workspace:
        found = judging_candidates(workspace, [rubric("reedit_causal"), rubric("reedit_sc")])
    assert Counter((one.task.rubric.id, one.place.category) for one in found) == {
        ("reedit_causal", "causal"): 2, **{("reedit_sc", category): 2 for category in CATEGORIES}
    }  # fmt: skip
