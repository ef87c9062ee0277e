"""From edits in a workspace to a benchmark's table, with a judge over the wire."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from convergebench.analysis.judged.benchmark_scores import BenchmarkRow
from convergebench.benchmarks.gedit.mini import load_gedit_mini
from convergebench.benchmarks.wiseedit.mini import load_wiseedit_mini
from convergebench.editors import open_editor
from convergebench.engine import Plan, run_plan
from convergebench.errors import WrongUse
from convergebench.judges import open_judge
from convergebench.metrics import MetricSet
from convergebench.protocols import one_shot
from convergebench.scoring import Scored, score_suite
from convergebench.store import Workspace
from convergebench.suites.case_hints import references_of
from convergebench.suites.sampling import Sampling
from convergebench.types import Edited, Editor, EditRequest, Refused, Suite
from scripted import Scripted
from servers.judge import Answer, Asked, JudgeServer, completion, graded


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONVERGEBENCH_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def judge() -> Iterator[JudgeServer]:
    with JudgeServer() as server:
        yield server


def edit_suite(workspace: Workspace, suite: Suite, editor: Editor) -> None:
    plan = Plan(suite.id, one_shot(), suite.cases, (editor,), (0,))
    number = workspace.start_run({"suite": plan.suite}, "test")
    asyncio.run(run_plan(plan, workspace, MetricSet([]), run=number))


def scored(workspace: Workspace, suite: Suite, judge: JudgeServer, **options: object) -> Scored:
    return asyncio.run(score_suite(workspace, suite, open_judge(judge.name), **options))  # type: ignore[arg-type]


def line(rows: list[BenchmarkRow], metric: str, subset: str) -> BenchmarkRow:
    (found,) = [row for row in rows if (row.metric, row.subset) == (metric, subset)]
    return found


def test_two_grades_of_each_rubric_become_overall(workspace: Workspace, judge: JudgeServer) -> None:
    suite = load_gedit_mini("en", Sampling(limit=3))
    edit_suite(workspace, suite, Scripted())
    judge.script = lambda number, asked: completion(
        graded(asked, edit_success=9, rest_preserved=4, naturalness=9, artifacts=10)
    )
    result = scored(workspace, suite, judge)
    overall = line(result.rows, "Overall", "OVERALL (sample mean)")
    assert overall.score is not None
    assert (overall.model, overall.n, overall.missing) == ("scripted", 3, 0)
    semantic = line(result.rows, "Semantic Consistency", "OVERALL (sample mean)").score
    quality = line(result.rows, "Perceptual Quality", "OVERALL (sample mean)").score
    assert semantic is not None and quality is not None
    assert semantic.mean == 4.0
    assert overall.score.mean == pytest.approx(math.sqrt(semantic.mean * quality.mean))
    assert len(judge.asked) == 2 * 3


def test_nothing_is_asked_twice_and_a_smaller_choice_needs_nothing_new(
    workspace: Workspace, judge: JudgeServer
) -> None:
    suite = load_gedit_mini("en", Sampling(limit=4))
    edit_suite(workspace, suite, Scripted())
    scored(workspace, suite, judge)
    asked = len(judge.asked)
    few = scored(workspace, load_gedit_mini("en", Sampling(limit=2)), judge)
    assert len(judge.asked) == asked
    assert line(few.rows, "Overall", "OVERALL (sample mean)").n == 2


def test_cases_that_were_not_edited_are_missing_with_that_reason(
    workspace: Workspace, judge: JudgeServer
) -> None:
    edit_suite(workspace, load_gedit_mini("en", Sampling(limit=2)), Scripted())
    result = scored(workspace, load_gedit_mini("en", Sampling(limit=5)), judge)
    overall = line(result.rows, "Overall", "OVERALL (sample mean)")
    assert (overall.n, overall.missing) == (2, 3)
    assert overall.reasons == {"no picture: not edited yet": 3}


def test_a_refused_edit_and_a_reply_that_is_none_are_missing_and_not_zero(
    workspace: Workspace, judge: JudgeServer
) -> None:
    def refuse_first(number: int, request: EditRequest) -> Edited | None:
        if request.instruction == suite.cases[0].forward:
            raise Refused("against the rules")
        return None

    def prose_for_one(number: int, asked: Asked) -> Answer:
        prose = any(suite.cases[1].forward in text for text in asked.texts)
        return completion("Very nice!" if prose else graded(asked))

    suite = load_gedit_mini("en", Sampling(limit=3))
    edit_suite(workspace, suite, Scripted(refuse_first))
    judge.script = prose_for_one
    result = scored(workspace, suite, judge)
    overall = line(result.rows, "Overall", "OVERALL (sample mean)")
    assert (overall.n, overall.missing) == (1, 2)
    assert overall.score is not None and overall.score.mean == 7.0
    assert overall.reasons == {"no picture: against the rules": 1, "verdict unparseable": 1}


def test_editors_of_one_picture_leave_cases_of_several_missing_with_that_reason(
    workspace: Workspace, judge: JudgeServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "my_editor.py").write_text("def same(image, instruction, seed):\n    return image\n")
    monkeypatch.chdir(tmp_path)
    suite = load_wiseedit_mini("en", Sampling(("Awareness_1", "Awareness_2")))
    edit_suite(workspace, suite, open_editor("python:my_editor:same"))
    row = line(scored(workspace, suite, judge).rows, "DP", "Awareness")
    assert (row.n, row.missing) == (1, 1)
    assert row.reasons == {"no picture: takes one picture, got 2": 1}


def test_only_the_metrics_that_apply_are_judged(workspace: Workspace, judge: JudgeServer) -> None:
    suite = load_wiseedit_mini("en", Sampling(("Imagination_1", "WiseEdit_Complex_3")))
    edit_suite(workspace, suite, Scripted())
    result = scored(workspace, suite, judge)
    assert len(judge.asked) == 4 + 5
    assert {row.metric for row in result.rows if row.subset == "Imagination"} == {
        "DP",
        "IF",
        "VQ",
        "CF",
        "AVG",
    }
    assert result.judged.ok == 9


def test_the_judge_sees_inputs_hint_and_reference_pictures(workspace: Workspace, judge: JudgeServer) -> None:
    suite = load_wiseedit_mini("en", Sampling(("Awareness_2",)))
    (case,) = suite.cases
    edit_suite(workspace, suite, Scripted())
    scored(workspace, suite, judge)
    sights = {len(asked.pictures): asked for asked in judge.asked}
    # VQ sees the result; DP the two inputs and the result; IF and KF the reference as well
    assert set(sights) == {1, 3, 4}
    assert any(case.hints["hint"] in text for text in sights[4].texts)
    (reference,) = references_of(case)
    (shown,) = workspace.query(
        "SELECT DISTINCT pictures FROM judgements WHERE pictures LIKE ?", f"%{reference.digest}%"
    )
    assert ["references", reference.digest] in json.loads(shown["pictures"])


@pytest.mark.parametrize(("in_english", "shown"), [(False, "展示半年后"), (True, "half a year later")])
def test_each_language_is_judged_by_its_own_prompt_unless_the_published_way_is_asked_for(
    in_english: bool, shown: str, workspace: Workspace, judge: JudgeServer
) -> None:
    suite = load_wiseedit_mini("cn", Sampling(("Awareness_1",)))
    editor = Scripted()
    edit_suite(workspace, suite, editor)
    scored(workspace, suite, judge, judge_in_english=in_english)
    assert "展示半年后" in editor.requests[0].instruction
    instructed = [asked for asked in judge.asked if len(asked.pictures) > 1]
    assert instructed and all(any(shown in text for text in asked.texts) for asked in instructed)


def test_a_workspace_without_edits_of_the_suite_says_so(workspace: Workspace, judge: JudgeServer) -> None:
    with pytest.raises(WrongUse, match="has no edits of gedit-mini@en-"):
        scored(workspace, load_gedit_mini(), judge)


def test_repeats_show_how_far_the_judge_agrees_with_itself(workspace: Workspace, judge: JudgeServer) -> None:
    suite = load_gedit_mini("en", Sampling(limit=3))
    edit_suite(workspace, suite, Scripted())
    judge.script = lambda number, asked: completion(graded(asked, naturalness=4 + asked.body["seed"] % 3))
    result = scored(workspace, suite, judge, repeats=2)
    by_rubric = {one.rubric: one for one in result.agreements}
    assert (by_rubric["gedit_sc"].alpha, by_rubric["gedit_sc"].spread) == (None, 0.0)
    assert by_rubric["gedit_pq"].spread > 0
    assert by_rubric["gedit_pq"].samples == 3
    assert not scored(workspace, suite, judge).agreements
