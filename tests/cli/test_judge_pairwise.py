"""Two models compared by a loopback judge, in both orders."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from convergebench.cli.main import code_of
from convergebench.picture import decode
from servers.judge import Answer, Asked, JudgeServer, completion, failure, graded

CASES = 3
FINE, COARSE = "jpeg?quality=90", "jpeg?quality=20"


@pytest.fixture(scope="module")
def finished_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three models, two of which never return the same picture, on three cases for two rounds."""
    workspace = tmp_path_factory.mktemp("compared") / "results"
    words = ["run", "-m", f"{FINE},{COARSE},identity", "--suite", "converge-drawn", "--limit", CASES,
             "--rounds", 2, "--metric", "psnr", "-w", workspace]  # fmt: skip
    assert code_of([str(word) for word in words]) == 0
    return workspace


@pytest.fixture
def folder(tmp_path: Path, finished_run: Path) -> Path:
    return Path(shutil.copytree(finished_run, tmp_path / "results"))


@pytest.fixture
def server() -> Iterator[JudgeServer]:
    with JudgeServer(nearer) as running:
        yield running


def nearer(number: int, asked: Asked) -> Answer:
    """Prefers what is nearer to the source, wherever it is shown."""
    return completion(graded(asked, better=_nearer(asked)))


def _nearer(asked: Asked) -> str:
    source, first, second = (decode(data)[0].astype(float) for data in asked.pictures)
    return "first" if np.abs(first - source).mean() < np.abs(second - source).mean() else "second"


def compared(cli: Callable[..., Any], server: JudgeServer, folder: Path, *words: object) -> Any:
    return cli("judge", "--judge", server.name, "--pairwise", *words, "-w", folder, "--json")


def test_every_first_edit_and_every_return_is_compared_in_both_orders(
    cli: Callable[..., Any], folder: Path, server: JudgeServer
) -> None:
    ran = compared(cli, server, folder, FINE, COARSE)
    assert ran.code == 0, ran.err
    edits, returns = ran.json["pairwise"]
    assert (edits["rubric"], edits["n"], returns["n"]) == ("better_edit@1", CASES, 2 * CASES)
    assert len(server.asked) == 2 * (edits["n"] + returns["n"])
    shown = [tuple(asked.pictures) for asked in server.asked]
    assert all((source, second, first) in shown for source, first, second in shown)
    (pair,) = returns["pairs"]
    assert (pair["model"], pair["won"], pair["lost"]) == (COARSE, 0, 2 * CASES)
    assert "never won" in returns["no_ranking"]
    assert compared(cli, server, folder, FINE, COARSE).json["judge"]["calls"] == 0


def test_a_judge_that_always_prefers_the_first_place_prefers_nobody(
    cli: Callable[..., Any], folder: Path, server: JudgeServer
) -> None:
    server.script = lambda number, asked: completion(graded(asked, better="first"))
    ran = compared(cli, server, folder, FINE, COARSE, "--rubric", "better_return")
    (found,) = ran.json["pairwise"]
    assert (found["ties"], found["order_disagreements"]) == (2 * CASES, 2 * CASES)
    assert found["no_ranking"] == "every comparison is a tie"


def test_models_are_ranked_by_their_strengths_where_each_wins_somewhere(
    cli: Callable[..., Any], folder: Path, server: JudgeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    turned: list[bytes] = []

    def mostly_nearer(number: int, asked: Asked) -> Answer:
        source = asked.pictures[0]
        turned.append(source)
        better = _nearer(asked)
        if source == turned[0]:
            better = {"first": "second", "second": "first"}[better]
        return completion(graded(asked, better=better))

    server.script = mostly_nearer
    ran = compared(cli, server, folder, "--rubric", "better_edit", "--concurrency", 1)
    (found,) = ran.json["pairwise"]
    assert found["n"] == 3 * CASES  # every two of three models
    ranked = [row["model"] for row in found["strengths"]]
    assert sorted(ranked) == sorted([FINE, COARSE, "identity"])
    assert ranked[-1] == COARSE
    assert all(row["low"] < row["strength"] < row["high"] for row in found["strengths"])
    table = cli("judge", "--judge", server.name, "--pairwise", "--rubric", "better_edit", "-w", folder)
    assert f"better_edit@1: {3 * CASES} compared in both orders, 0 missing" in table.out
    assert "95 % interval" in table.out


def test_a_suite_with_both_kinds_of_edits_is_compared_in_one_part_at_a_time(
    cli: Callable[..., Any], tmp_path: Path, pictures: Path, server: JudgeServer
) -> None:
    edits, results = tmp_path / "edits.csv", tmp_path / "results"
    edits.write_text(
        "forward,backward,reversibility\nAdd a hat.,Remove the hat.,reversible\n"
        "Add snow.,Remove the snow.,information-destroying\nAdd fog.,Remove the fog.,ambiguous\n"
    )
    words = ["--images", pictures, "--edits", edits, "--rounds", 1, "--metric", "psnr", "-w", results]
    assert cli("run", "-m", f"{FINE},{COARSE}", *words).code == 0
    only = ["--rubric", "better_return"]
    refused = compared(cli, server, results, *only)
    assert refused.code == 2 and not server.asked
    whole, part = refused.json["error"].rpartition(": ")[2].split(", ")
    assert part == f"{whole}/partial"
    for suite, cases in ((whole, 2), (part, 4)):
        (found,) = compared(cli, server, results, "--suite", suite, *only).json["pairwise"]
        assert found["n"] == cases


def test_a_comparison_with_a_verdict_in_one_order_only_is_missing(
    cli: Callable[..., Any], folder: Path, server: JudgeServer
) -> None:
    server.script = lambda number, asked: (
        failure(400, "no", "content_policy_violation") if number == 1 else nearer(number, asked)
    )
    ran = compared(cli, server, folder, FINE, COARSE, "--rubric", "better_edit")
    (found,) = ran.json["pairwise"]
    assert (ran.code, found["n"], found["missing"]) == (3, CASES - 1, 1)


def test_the_same_picture_from_both_is_a_tie_and_nobody_is_asked(
    cli: Callable[..., Any], tmp_path: Path, server: JudgeServer
) -> None:
    words = ["--suite", "converge-drawn", "--limit", CASES, "--rounds", 1, "--metric", "psnr"]
    made = cli("run", "-m", "shift?dx=0,contrast?percent=0", *words, "-w", tmp_path)
    assert made.code == 0, made.err
    ran = compared(cli, server, tmp_path, "--rubric", "better_return")
    (found,) = ran.json["pairwise"]
    assert (ran.code, server.asked, found["n"], found["ties"]) == (0, [], CASES, CASES)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--pairwise", FINE], "no two models with pictures"),
        (["--pairwise", "--rubric", "gedit_sc"], "gedit_sc does not compare"),
        (["--rubric", "better_edit"], "add --pairwise"),
    ],
)
def test_wrong_use_exits_2_with_one_sentence(
    cli: Callable[..., Any], folder: Path, words: list[str], said: str
) -> None:
    ran = cli("judge", "--judge", "ollama:x", *words, "-w", folder)
    assert ran.code == 2
    assert said in ran.sentence
