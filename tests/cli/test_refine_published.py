"""EditRefine with the words of an imitated configuration: what is sent, what is edited, what is counted."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from published_clones import reedit_clone
from servers.judge import Answer, Asked, JudgeServer, completion

Cli = Callable[..., Any]
QUALITY = "<CoT>All is well.</CoT>\n<Re_edit>Improve the image quality</Re_edit>"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONVERGEBENCH_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def server() -> Iterator[JudgeServer]:
    with JudgeServer() as running:
        yield running


def answers(
    advice: str, verdict: str = '{"score": "yes", "reasoning": "ok"}'
) -> Callable[[int, Asked], Answer]:
    def script(number: int, asked: Asked) -> Answer:
        system = str(asked.system)
        if system.startswith("Look"):
            return completion(advice)
        if system.startswith("Is it"):
            return completion(verdict)
        return completion(
            '```json\n{"score": [7, 8], "reason": "好"}\n```' if "_metric" in system else '{"score": 6}'
        )

    return script


def refined(cli: Cli, tmp_path: Path, server: JudgeServer, *more: object) -> Any:
    return cli(
        "refine", "--suite", "reedit-mini", "--category", "causal", "-m", "noise", "--json",
        "--reasoner", server.name, "--judge", server.name, "-w", tmp_path / "w",
        "--prompts", reedit_clone(tmp_path / "RE-Edit"), *more,
    )  # fmt: skip


def test_the_reasoner_is_asked_in_the_configurations_words(
    cli: Cli, tmp_path: Path, server: JudgeServer
) -> None:
    server.script = answers(
        "<CoT>a</CoT>\n<CoT>b</CoT>\n<Re_edit>Add a hat</Re_edit>\n<Re_edit>Add a shoe</Re_edit>"
    )
    done = refined(cli, tmp_path, server)
    looks = [asked for asked in server.asked if str(asked.system).startswith("Look")]
    assert {asked.system for asked in looks} == {"Look for what is not causal.\n"}
    for asked in looks:
        assert [part["type"] for part in asked.content] == ["image_url", "image_url", "text"]
        assert asked.texts[0].startswith("<wish>")
        assert "response_format" not in asked.body
    (case, *_) = done.json["cases"]
    assert case["rounds"][0]["instructions"] == ["Add a hat", "Add a shoe"]
    assert done.json["wording"].startswith("published wording ")
    chained = refined(cli, tmp_path, server, "--chain", "-w", tmp_path / "chained")
    assert chained.json["run"]["edits"] == done.json["run"]["edits"] + len(done.json["cases"])


def test_nothing_to_do_is_left_alone_and_edited_again_as_published(
    cli: Cli, tmp_path: Path, server: JudgeServer
) -> None:
    server.script = answers(QUALITY)
    honest = refined(cli, tmp_path, server).json
    looked = len(server.asked)
    published = refined(cli, tmp_path, server, "--as-published").json
    assert all(case["refined_is_primary"] for case in honest["cases"])
    assert not any(case["refined_is_primary"] for case in published["cases"])
    assert [case["rounds"][0]["instructions"] for case in published["cases"]] == [
        ["Improve the image quality"]
    ] * len(published["cases"])
    again = [asked for asked in server.asked[looked:] if str(asked.system).startswith("Look")]
    assert again == []  # the same question is never paid for twice


def test_unread_verdicts_are_missing_here_and_a_no_as_published(
    cli: Cli, tmp_path: Path, server: JudgeServer
) -> None:
    server.script = answers(QUALITY, verdict="no idea")
    table = tmp_path / "table.csv"
    done = refined(cli, tmp_path, server, "--as-published", "--csv", table)
    assert done.code == 3
    ours, theirs = (done.json[key]["rows"] for key in ("transitions", "transitions_as_published"))
    assert [(row["judged"], row["missing"]) for row in ours] == [(0, 2)] * len(ours)
    assert [(row["unchanged"], row["missing"]) for row in theirs] == [(2, 0)] * len(theirs)
    rows = list(csv.DictReader(table.open()))
    assert {row["improvement_rate"] for row in rows} == {""}
    assert {row["improvement_rate_as_published"] for row in rows} == {"0.0"}
    assert all(row["wording"].startswith("published wording") and row["judge"] for row in rows)
    assert json.dumps(done.json)
