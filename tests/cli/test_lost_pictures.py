"""A picture that is gone or damaged costs its cases, is named, and can be made again."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from convergebench.store import Workspace
from faults.damage import delete, flip_a_bit, truncate
from servers.judge import JudgeServer

Cli = Callable[..., Any]
Words = Callable[..., list[object]]


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


def test_every_command_that_shows_pictures_leaves_them_out_and_names_them(
    cli: Cli, run: Words, tmp_path: Path
) -> None:
    workspace = tmp_path / "results"
    assert cli(*run(model="noise")).code == 0
    damaged, gone = picture_of(workspace, 1), picture_of(workspace, 3)
    truncate(damaged, random.Random(1))
    delete(gone, random.Random(1))
    with JudgeServer() as server:
        judged = cli("judge", "--judge", server.name, "-w", workspace, "--json")
        assert judged.code == 3, judged.err
        assert damaged.stem in judged.err and gone.stem in judged.err
        # Of 12 pictures two are lost: the first is also the input of the next edit, the second is the last.
        assert len(server.asked) == 9
    for words, named in (
        (["grid"], [gone]),
        (["report"], [gone, damaged]),
        (["paper", "-o", tmp_path / "paper"], [gone, damaged]),
    ):
        ended = cli(*words, "-w", workspace)
        assert ended.code == 0, ended.err
        assert all(file.stem in ended.err for file in named), (words, ended.err)
    assert (tmp_path / "paper" / "paper.pdf").read_bytes()[:5] == b"%PDF-"
    assert cli("summary", "-w", workspace).code == 0
    again = cli(*run(model="noise", rounds=3))
    assert again.code == 3
    assert gone.stem in again.err
    assert "gone" in again.err
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
