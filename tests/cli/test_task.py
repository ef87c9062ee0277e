"""The task command: one file, edited, judged and summed up."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from servers.judge import MODEL, JudgeServer, failure

pytest.importorskip("yaml")


@pytest.fixture
def server() -> Iterator[JudgeServer]:
    with JudgeServer() as running:
        yield running


@pytest.fixture
def task(tmp_path: Path, server: JudgeServer, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CONVERGEBENCH_CACHE", str(tmp_path / "cache"))
    file = tmp_path / "task.yaml"
    file.write_text(f"""
suite: gedit-mini
models: [jpeg]
limit: 2
judge: server:{MODEL}
judge_settings: {{base_url: "{server.url}/v1"}}
workspace: results
""")
    return file


def test_the_table_names_model_suite_metric_subset_n_and_score(
    cli: Callable[..., Any], task: Path, tmp_path: Path
) -> None:
    ran = cli("task", task, "--csv", tmp_path / "table.csv")
    assert ran.code == 0, ran.err
    headline, title, headings = ran.out.splitlines()[:3]
    assert headline.endswith("jpeg: complete, 2 of 2 samples have every verdict")
    assert title.split() == ["jpeg,", "gedit-mini,", "en"]
    assert headings.split() == ["subset", "n", "missing", "score", "95", "%", "interval"]
    assert "2 of 2 edits complete, 2 new." in ran.out
    with (tmp_path / "table.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {row["model"] for row in rows} == {"jpeg"}
    assert {"Semantic Consistency", "Perceptual Quality", "Overall"} == {row["metric"] for row in rows}


def test_running_it_again_edits_and_asks_nothing(
    cli: Callable[..., Any], task: Path, server: JudgeServer
) -> None:
    first = cli("task", task, "--json")
    asked = len(server.asked)
    again = cli("task", task, "--json")
    assert (again.code, len(server.asked)) == (0, asked)
    assert again.json["rows"] == first.json["rows"]


def test_a_judge_that_always_fails_ends_with_an_error_and_no_score(
    cli: Callable[..., Any], task: Path, server: JudgeServer
) -> None:
    server.script = lambda number, asked: failure(400, "strange", "content_policy_violation")
    ran = cli("task", task, "--json")
    assert ran.code == 1
    assert all(row["score"] is None for row in ran.json["rows"])


def test_an_unknown_key_in_the_file_is_named(cli: Callable[..., Any], task: Path) -> None:
    task.write_text(task.read_text() + "modles: [jpeg]\n")
    ran = cli("task", task)
    assert ran.code == 2
    assert "modles" in ran.sentence


def test_a_file_that_is_not_there_is_named(cli: Callable[..., Any], tmp_path: Path) -> None:
    ran = cli("task", tmp_path / "none.yaml")
    assert ran.code == 2
    assert "none.yaml" in ran.sentence


def test_a_task_that_is_interrupted_while_it_edits_asks_no_judge(
    cli: Callable[..., Any], task: Path, server: JudgeServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pressing.py").write_text("""
import os, signal

def edit(image, instruction, seed):
    if not os.path.exists("pressed"):
        open("pressed", "w").close()
        os.kill(os.getpid(), signal.SIGINT)
    return image
""")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    task.write_text(task.read_text().replace("[jpeg]", "['python:pressing:edit']") + "workers: 1\n")
    stopped = cli("task", task)
    assert stopped.code == 130
    assert not server.asked
    assert "Rerun the command to continue" in stopped.err and "add a judge" not in stopped.err
    assert cli("task", task).code == 0
    assert server.asked
