"""Single edits compared pair by pair, beside the benchmark's figures."""

from __future__ import annotations

import csv
import functools
import json
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cli.conftest import PROGRAM
from convergebench.benchmarks.gedit.mini import load_gedit_mini
from convergebench.benchmarks.registry import benchmark_of
from convergebench.picture import Picture, decode
from convergebench.results import Records
from convergebench.store import Workspace
from convergebench.suites.sampling import Sampling
from convergebench.types import Case
from convergebench.votes.exchange import ForeignVote, read_vote_file
from forked_python import ForkedPython
from made_pictures import textured
from servers.judge import Answer, Asked, JudgeServer, completion, graded
from set_imitations import write_gedit2

Cli = Callable[..., Any]
CASES = 6
MODELS = ("dim", "fair", "bright")
PAIRS = 3 * CASES


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CONVERGEBENCH_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture
def judge() -> Iterator[JudgeServer]:
    with JudgeServer(brighter) as server:
        yield server


def brighter(number: int, asked: Asked) -> Answer:
    """Prefers the brighter of two, and on one case the darker."""
    if len(asked.pictures) < 3:
        return completion(graded(asked))
    first, second = (decode(data)[0].astype(float).mean() for data in asked.pictures[1:])
    is_turned = any(chosen_cases()[0].forward in text for text in asked.texts)
    return completion(graded(asked, better="first" if (first > second) != is_turned else "second"))


@pytest.fixture
def folder(cli: Cli, tmp_path: Path) -> Path:
    """Three models' pictures of six cases, imported."""
    for level, model in enumerate(MODELS):
        made = tmp_path / model
        made.mkdir()
        lines = []
        for number, case in enumerate(chosen_cases()):
            pixels = textured(seed=number) // 2 + np.uint8(20 * level)
            (made / f"{number}.png").write_bytes(Picture.from_pixels(pixels).encoded)
            lines.append(json.dumps({"id": case.id, "image_path": f"{number}.png"}))
        (made / "edits.jsonl").write_text("\n".join(lines))
        imported = cli("score", made / "edits.jsonl", "--model", model, *suite(tmp_path))
        assert imported.code == 0, imported.err
    return tmp_path / "results"


def suite(tmp_path: Path) -> list[object]:
    return ["--suite", "gedit-mini", "--limit", CASES, "-w", tmp_path / "results"]


@functools.cache
def chosen_cases() -> tuple[Case, ...]:
    return load_gedit_mini(sampling=Sampling(limit=CASES)).cases


def compared(server: JudgeServer) -> list[tuple[bytes, ...]]:
    return [tuple(asked.pictures) for asked in server.asked if len(asked.pictures) == 3]


def test_models_are_compared_beside_the_benchmarks_own_figures(
    cli: Cli, folder: Path, judge: JudgeServer, tmp_path: Path
) -> None:
    words = [
        "score", *suite(tmp_path), "--judge", judge.name, "--pairwise", "--csv", tmp_path / "table.csv",
        "--gedit-v2", tmp_path / "v2",
    ]  # fmt: skip
    done = cli(*words, "--json")
    assert done.code == 0, done.err
    assert {row["model"] for row in done.json["rows"]} == set(MODELS)
    (found,) = done.json["pairwise"]["summaries"]
    assert (found["rubric"], found["n"], found["missing"]) == ("better_edit@1", PAIRS, 0)
    assert found["wording"] == "ConvergeBench's own wording"
    shown = compared(judge)
    assert len(shown) == 2 * PAIRS
    assert all((source, second, first) in shown for source, first, second in shown)
    assert [row["model"] for row in found["models"]] == ["bright", "fair", "dim"]
    assert all(row["low"] < row["strength"] < row["high"] for row in found["models"])

    rows = list(csv.DictReader((tmp_path / "table-pairwise.csv").open()))
    assert [(row["model"], int(row["n"])) for row in rows] == [
        (model, 2 * CASES) for model in ("bright", "fair", "dim")
    ]
    assert judge.name.partition("?")[0] in rows[0]["judge"]

    form, votes = read_vote_file(tmp_path / "v2" / "better_edit.jsonl")
    assert (form, len(votes)) == ("gedit-v2", PAIRS)
    won: Counter[str] = Counter()
    for vote in votes:
        assert isinstance(vote, ForeignVote)
        won[{"first": vote.first, "second": vote.second}[vote.answer]] += 1
    assert won == {row["model"]: row["won"] for row in found["models"] if row["won"]}

    back = cli("vote", "--import", tmp_path / "v2" / "better_edit.jsonl", "-w", folder)
    assert f"{PAIRS} new votes (gedit-v2), 0 known before" in back.out
    with Workspace.existing(folder) as workspace:
        names = {one.name for one in Records.of(workspace).judges}
    without_address = judge.name.partition("?")[0]  # as in all files
    assert names == {judge.name, f"imported:{without_address}"}  # never a person's

    again = cli(*words)
    assert len(compared(judge)) == 2 * PAIRS  # nothing was asked twice
    assert f"better_edit@1: {PAIRS} compared in both orders" in again.out
    assert "95 % interval" in again.out


def test_gedit_bench_v2_is_compared_in_its_three_respects(
    cli: Cli, judge: JudgeServer, tmp_path: Path
) -> None:
    data = write_gedit2(tmp_path / "data")
    words = ["--suite", "gedit2", "--data", data, "-w", tmp_path / "results"]
    cases = benchmark_of("gedit2").load("gedit2", str(data)).cases
    for level, model in enumerate(("dim", "bright")):
        gallery = tmp_path / "gallery" / model
        gallery.mkdir(parents=True)
        lines = []
        for number, case in enumerate(cases):
            pixels = textured(seed=number) // 2 + np.uint8(20 * level)
            (gallery / f"{case.id}.png").write_bytes(Picture.from_pixels(pixels).encoded)
            lines.append(json.dumps({"id": case.id, "image_path": f"{case.id}.png"}))
        (gallery / "edits.jsonl").write_text("\n".join(lines))
        imported = cli("score", gallery / "edits.jsonl", "-m", model, *words)
        assert imported.code == 0, imported.err
    grades = {"instruction": 4, "blending": 4, "preservation": 4}
    judge.script = lambda number, asked: completion(graded(asked, better="first", **grades))
    done = cli("score", *words, "--judge", judge.name, "--pairwise", "--gedit-v2", tmp_path / "v2", "--json")
    assert done.code == 0, done.err
    names = ("better_following", "better_consistency", "better_quality")
    found = {one["rubric"]: one for one in done.json["pairwise"]["summaries"]}
    assert set(found) == {f"{name}@1" for name in names}
    assert all(one["order_disagreements"] == one["n"] == len(cases) for one in found.values())
    for name in names:
        lines = (tmp_path / "v2" / f"{name}.jsonl").read_text().splitlines()
        assert json.loads(lines[0])["key"] == f"{cases[0].id}_pair_bright_vs_dim"
        assert {json.loads(line)["results"]["winner"] for line in lines} == {"Tie"}


def test_one_named_model_is_compared_with_all_others(
    cli: Cli, folder: Path, judge: JudgeServer, tmp_path: Path
) -> None:
    done = cli("score", *suite(tmp_path), "-m", "fair", "--judge", judge.name, "--pairwise", "--json")
    (found,) = done.json["pairwise"]["summaries"]
    assert {(pair["model"], pair["against"]) for pair in found["pairs"]} == {
        ("bright", "fair"),
        ("dim", "fair"),
    }
    assert {row["model"] for row in done.json["rows"]} == {"fair"}


def test_a_killed_comparison_resumes_within_its_number_and_asks_nothing_twice(
    cli: Cli, folder: Path, judge: JudgeServer, tmp_path: Path
) -> None:
    number = 8
    words = [
        "judge", "--judge", judge.name, "--pairwise", "--rubric", "better_edit", "--comparisons", number,
        "--concurrency", 2, "-w", folder,
    ]  # fmt: skip
    reached = []

    def until_killed(count: int, asked: Asked) -> Answer:
        if count > 6:
            reached.append(count)
            process.kill()
            return Answer("", after_seconds=30)
        return brighter(count, asked)

    judge.script = until_killed
    process = ForkedPython([*PROGRAM, *words], stderr=subprocess.DEVNULL)
    assert process.wait(120) != 0
    assert reached
    judge.script = brighter
    answered, before = compared(judge)[:6], len(judge.asked)
    done = cli(*words, "--json")
    assert done.code == 0, done.err
    (found,) = done.json["pairwise"]
    assert (found["n"], done.json["possible"]) == (number, PAIRS)
    later = compared(judge)[before:]
    assert len(later) == len(set(later))
    # Two answers at most had arrived and were not yet on disk.
    assert len(set(later).intersection(answered)) <= 2
    assert cli(*words, "--json").json["judge"]["calls"] == 0


def test_numbers_without_pairs_and_pairs_without_a_judge_are_wrong_use(cli: Cli, tmp_path: Path) -> None:
    said = cli("score", "--comparisons", 5, "-w", tmp_path).sentence
    assert "add --pairwise" in said
    assert "add --judge" in cli("score", "--pairwise", "-w", tmp_path).sentence
    assert (
        "add --pairwise" in cli("judge", "--judge", "ollama:x", "--comparisons", 5, "-w", tmp_path).sentence
    )
