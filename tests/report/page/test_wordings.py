"""Verdicts of different wordings, languages and instructions stand in tables of their own."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from convergebench.benchmarks.wiseedit.mini import load_wiseedit_mini
from convergebench.engine import Plan, run_plan
from convergebench.judges import open_judge
from convergebench.metrics import MetricSet
from convergebench.picture import Picture
from convergebench.protocols import one_shot
from convergebench.report.page import judged_tables
from convergebench.report.page.judged_tables import IN_ENGLISH, subset_tables, summaries
from convergebench.report.page.step_index import IndexedStep, by_picture, index_steps
from convergebench.report.page.verdicts import Judgement, judgements_of
from convergebench.scoring import score_suite
from convergebench.store import Workspace
from convergebench.suites.sampling import Sampling
from convergebench.types import Edited
from made_pictures import textured
from published_clones import wiseedit_clone
from scripted import Scripted
from servers.judge import JudgeServer, completion, graded

Judged: TypeAlias = tuple[Sequence[Judgement], Sequence[IndexedStep]]


@pytest.fixture
def judge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[JudgeServer]:
    monkeypatch.setenv("CONVERGEBENCH_CACHE", str(tmp_path / "cache"))
    with JudgeServer() as server:
        yield server


@pytest.fixture
def judged(workspace: Workspace, judge: JudgeServer, tmp_path: Path) -> Judged:
    """The edits of one editor, judged by our wording, by the English instruction, and by the published
    wording."""
    suite = load_wiseedit_mini("both", Sampling(subsets=("Imagination_1",)))
    editor = Scripted(
        lambda number, request: Edited(Picture.from_pixels(textured(seed=len(request.instruction))))
    )
    plan = Plan(suite.id, one_shot(), suite.cases, (editor,), (0,))
    number = workspace.start_run({"suite": plan.suite}, "test")
    asyncio.run(run_plan(plan, workspace, MetricSet([]), run=number))

    def score(grade: int, **options: Any) -> None:
        judge.script = lambda number, asked: completion(
            f'{{"score": {grade}}}'
            if "prompts" in options
            else graded(asked, detail_preserving=grade, creative_fusion=grade, instruction_following=grade)
        )
        asyncio.run(score_suite(workspace, suite, open_judge(judge.name), **options))

    score(2)
    score(5, judge_in_english=True)
    score(9, prompts=str(wiseedit_clone(tmp_path / "WiseEdit")))
    steps = index_steps(workspace)
    return judgements_of(workspace, by_picture(steps)), steps


def test_nothing_is_averaged_over_wordings_languages_or_instructions(judged: Judged) -> None:
    judgements, steps = judged
    means = {
        (one["under"], judgement.rubric.id): one["mean"]
        for one in summaries(judgements)
        for judgement in judgements
        if judgement.rubric.fingerprint == one["rubric"]
    }
    own = "ConvergeBench's own wording"
    assert means[f"{own}, en", "wiseedit_dp"] == means[f"{own}, cn", "wiseedit_dp"] == 2.0
    assert means[f"{own}, cn, {IN_ENGLISH}", "wiseedit_dp"] == 5.0
    (published,) = {
        under for under, name in means if under.startswith("published") and under.endswith(", en")
    }
    assert means[published, "wiseedit_dp"] == 9.0
    tables = {one["under"]: one["rows"] for one in subset_tables(judgements, steps)}
    assert set(tables) == {own, f"{own}, {IN_ENGLISH}", published.removesuffix(", en")}
    points = {
        under: {
            (row["metric"], row["language"]): row["score"] for row in rows if row["subset"] == "Imagination"
        }
        for under, rows in tables.items()
    }
    assert points[own]["DP", "cn"] == pytest.approx(11.1)
    assert points[f"{own}, {IN_ENGLISH}"]["DP", "cn"] == pytest.approx(44.4)
    assert points[f"{own}, {IN_ENGLISH}"]["VQ", "cn"] == points[own]["VQ", "cn"]


def test_tables_have_one_order_whatever_order_a_set_has(
    judged: Judged, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = (f"by the English instruction {number}" for number in itertools.count())
    listed_first = next(text for text in words if list({text, ""}) == [text, ""])
    monkeypatch.setattr(judged_tables, "IN_ENGLISH", listed_first)
    judgements, steps = judged

    def on_quality_then_in_english(one: Judgement) -> tuple[bool, bool]:
        return one.instruction is not None, one.instruction in {place.instruction for place in one.places}

    ordered = sorted(judgements, key=on_quality_then_in_english)
    tables = [one["under"] for one in subset_tables(ordered, steps)]
    own = [under for under in tables if not under.startswith("published")]
    assert own == ["ConvergeBench's own wording", f"ConvergeBench's own wording, {listed_first}"]
