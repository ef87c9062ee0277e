"""A whole task, from one call and from one file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from convergebench.benchmarks.gedit.mini import load_gedit_mini
from convergebench.errors import WrongUse
from convergebench.settings_file import settings_from
from convergebench.task import Task, read_task, run_task
from servers.judge import MODEL, JudgeServer


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONVERGEBENCH_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def judge() -> Iterator[JudgeServer]:
    with JudgeServer() as server:
        yield server


def overall(rows: Any) -> dict[str, tuple[int, float | None]]:
    return {
        row.model: (row.n, row.score and row.score.mean)
        for row in rows
        if (row.metric, row.subset) == ("Overall", "OVERALL (sample mean)")
    }


def test_one_call_edits_judges_and_sums_up(judge: JudgeServer, tmp_path: Path) -> None:
    task = Task(
        "gedit-mini", ("identity", "jpeg"), limit=3, language="cn", judge=judge.name, judge_workers=2,
        workspace=str(tmp_path / "results"),
    )  # fmt: skip
    done = run_task(task)
    assert overall(done.rows) == {"identity": (3, 7.0), "jpeg": (3, 7.0)}
    assert done.outcome is not None and done.outcome.edits == 6
    assert {row.language for row in done.rows} == {"cn"}


def test_a_second_call_edits_and_asks_nothing(judge: JudgeServer, tmp_path: Path) -> None:
    task = Task("gedit-mini", ("jpeg",), limit=2, judge=judge.name, workspace=str(tmp_path / "results"))
    run_task(task)
    asked = len(judge.asked)
    again = run_task(task)
    assert again.outcome is not None and again.outcome.edits == 0
    assert len(judge.asked) == asked


def test_one_file_does_the_same_with_paths_relative_to_it(
    judge: JudgeServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("yaml")
    (tmp_path / "task.yaml").write_text(f"""
suite: gedit-mini
models: [jpeg]
subsets: [text_change, color_alter]
per_subset: 1
judge: server:{MODEL}
judge_settings: {{base_url: "{judge.url}/v1", temperature: 0.5}}
workers: 2
workspace: out/results
""")
    monkeypatch.chdir("/")
    done = run_task(tmp_path / "task.yaml")
    assert overall(done.rows) == {"jpeg": (2, 7.0)}
    assert (tmp_path / "out" / "results").is_dir()
    assert {asked.body["temperature"] for asked in judge.asked} == {0.5}


def test_edits_made_elsewhere_are_scored_without_editing(judge: JudgeServer, tmp_path: Path) -> None:
    pytest.importorskip("yaml")
    cases = load_gedit_mini("en").cases[:2]
    lines = [json.dumps({"id": case.id, "image_path": str(case.source.path)}) for case in cases]
    (tmp_path / "edits.jsonl").write_text("\n".join(lines))
    (tmp_path / "task.yaml").write_text(
        f"{{suite: gedit-mini, models: mine, edits: edits.jsonl, limit: 3, judge: '{judge.name}'}}"
    )
    done = run_task(tmp_path / "task.yaml")
    assert overall(done.rows) == {"mine": (2, 7.0)}
    assert done.outcome is None
    assert done.coverage is not None and len(done.coverage.missing) == 1


def test_keys_come_from_a_file_beside_the_task(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("yaml")
    monkeypatch.setenv("SOME_TEST_KEY", "")
    monkeypatch.delenv("SOME_TEST_KEY")
    (tmp_path / ".env").write_text("SOME_TEST_KEY=abc\n")
    (tmp_path / "task.yaml").write_text("{suite: gedit-mini, models: [jpeg]}")
    assert "abc" not in repr(read_task(tmp_path / "task.yaml"))
    import os

    assert os.environ["SOME_TEST_KEY"] == "abc"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (
            {"suite": "gedit-mini", "models": ["a"], "langauge": "en"},
            "no task setting 'langauge'; did you",
        ),
        ({"suite": "gedit-mini"}, "a task needs suite and models"),
        ({"suite": "gedit-mini", "models": []}, "has no models"),
        ({"suite": "gedit-mini", "models": ["a"], "limit": "5"}, "limit must be a whole number, not '5'"),
        (
            {"suite": "gedit-mini", "models": ["a"], "workers": True},
            "workers must be a whole number",
        ),
        ({"suite": "gedit-mini", "models": ["a"], "max_cost_usd": float("nan")}, "number of dollars"),
        ({"suite": "gedit-mini", "models": ["a", "b"], "edits": "x.jsonl"}, "the one model"),
    ],
)
def test_a_task_that_cannot_be_meant_says_why(content: dict[str, Any], said: str) -> None:
    with pytest.raises(WrongUse, match=said):
        settings_from(Task, content, "task")


def test_a_judge_that_cannot_be_is_known_before_anything_is_edited(tmp_path: Path) -> None:
    task = Task("gedit-mini", ("jpeg",), judge="opnai:x", workspace=str(tmp_path / "results"))
    with pytest.raises(WrongUse, match="there is no judge provider"):
        run_task(task)
    assert not (tmp_path / "results").exists()


def test_a_limit_on_cost_needs_the_prices_of_models_and_judge(judge: JudgeServer, tmp_path: Path) -> None:
    folder = str(tmp_path / "results")
    task = Task("gedit-mini", ("jpeg",), judge=judge.name, max_cost_usd=1, workspace=folder)
    with pytest.raises(WrongUse, match=r"the price of server:.* is unknown"):
        run_task(task)
    with pytest.raises(WrongUse, match=r"the price of server:.* is unknown"):
        run_task(Task("gedit-mini", (f"server:m?base_url={judge.url}/v1",), max_cost_usd=1, workspace=folder))
