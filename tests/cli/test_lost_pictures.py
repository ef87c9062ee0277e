"""A picture that is gone or damaged costs its cases, is named, and can be made again."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from convergebench.store import Workspace
from faults.damage import delete, flip_a_bit, truncate
from servers.judge import JudgeServer

Cli = Callable[..., Any]
Words = Callable[..., list[object]]
Damage = Callable[[Path, random.Random], None]


def picture_of(workspace: Path, position: int) -> Path:
    """The result of an edit of the first trajectory."""
    with Workspace.existing(workspace) as opened:
        sql = "SELECT picture FROM steps WHERE trajectory = 1 AND position = ?"
        ((digest,),) = opened.query(sql, position)
    (path,) = (workspace / "pictures").rglob(f"{digest}.*")
    return path


def source_of(workspace: Path) -> Path:
    with Workspace.existing(workspace) as opened:
        ((inputs,),) = opened.query("SELECT inputs FROM steps WHERE trajectory = 1 AND position = 0")
    (path,) = (workspace / "pictures").rglob(f"{inputs[2:-2]}.*")
    return path


@pytest.mark.parametrize("damage", [truncate, delete])
def test_judge_grid_report_and_page_leave_it_out_and_name_it(
    damage: Damage, cli: Cli, run: Words, tmp_path: Path
) -> None:
    workspace = tmp_path / "results"
    assert cli(*run(model="noise")).code == 0
    lost = picture_of(workspace, 3)
    damage(lost, random.Random(1))
    with JudgeServer() as server:
        judged = cli("judge", "--judge", server.name, "-w", workspace, "--json")
        assert judged.code == 3, judged.err
        assert lost.stem in judged.err
        # Of 12 pictures one is lost: it is the result of one question and the input of none, being the last.
        assert len(server.asked) == 11
        assert {row["missing"] for row in judged.json["rows"]} == {0, 1}
    for words in (["grid"], ["report"]):
        ended = cli(*words, "-w", workspace)
        assert ended.code == 0, ended.err
        assert lost.stem in ended.err, words
    assert cli("summary", "-w", workspace).code == 0
    again = cli(*run(model="noise", rounds=3))
    assert again.code == 3
    assert lost.stem in again.err
    assert "damaged" in again.err or "gone" in again.err
    assert "crashed" not in again.err


def test_repair_says_what_is_lost_and_the_next_run_makes_it_again(
    cli: Cli, run: Words, tmp_path: Path
) -> None:
    workspace = tmp_path / "results"
    assert cli(*run(model="noise", rounds=3)).code == 0
    flip_a_bit(picture_of(workspace, 2), random.Random(1))
    delete(source_of(workspace), random.Random(1))
    found = cli("workspace", "repair", "-w", workspace)
    assert found.code == 3
    assert "round 2" in found.out and "has to be edited again" in found.out
    assert "source" in found.out and "stored again by the next run" in found.out
    assert "4 edits ($0.00)" in found.out
    asked = cli("workspace", "repair", "--apply", "-w", workspace)
    assert (asked.code, "--yes" in asked.sentence) == (2, True)
    applied = cli("workspace", "repair", "--apply", "--yes", "-w", workspace, "--json")
    assert (applied.code, applied.json["forgotten"]) == (0, 4)
    assert len(list((workspace / "pictures" / "damaged").iterdir())) == 1
    assert "4 new edits" in cli(*run(model="noise", rounds=3)).out
    assert cli("workspace", "repair", "-w", workspace).code == 0
