"""convergebench score --as-published."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from convergebench.benchmarks.gedit.mini import load_gedit_mini
from convergebench.picture import Picture
from made_pictures import textured
from servers.judge import Asked, JudgeServer, completion, correct, graded

Cli = Callable[..., Any]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONVERGEBENCH_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def judge() -> Iterator[JudgeServer]:
    with JudgeServer() as server:
        yield server


def write_results(folder: Path, width: int = 64, leave_out: int = 0) -> None:
    """GEdit-Bench's tree of results, with a source beside each."""
    cases = load_gedit_mini().cases
    for number, case in enumerate(cases[: len(cases) - leave_out]):
        place = folder / "mine" / "fullset" / case.category / "en"
        place.mkdir(parents=True, exist_ok=True)
        (place / f"{case.id}.png").write_bytes(Picture.from_pixels(textured(width, seed=number)).encoded)
        (place / f"{case.id}_SRCIMG.png").write_bytes(Picture.from_pixels(textured(seed=99)).encoded)
    other = folder / "mine" / "fullset" / "color_alter" / "cn"
    other.mkdir(parents=True)
    (other / "elsewhere.png").write_bytes(Picture.from_pixels(textured()).encoded)


def words(tmp_path: Path, judge: JudgeServer, *more: object) -> list[object]:
    where = ["--suite", "gedit-mini", "--model", "mine", "-w", tmp_path / "results"]
    return ["score", tmp_path / "made", *where, "--judge", judge.name, *more]


def test_gedit_resizes_the_result_to_the_source_and_has_a_table_over_the_intersection(
    cli: Cli, judge: JudgeServer, tmp_path: Path
) -> None:
    write_results(tmp_path / "made")
    judge.script = lambda number, asked: completion(
        graded(asked, edit_success=3 if number % 2 else 8) if len(asked.pictures) == 2 else graded(asked)
    )
    done = cli(*words(tmp_path, judge, "--as-published", "--strict", "--json"))
    assert done.code == 0, done.err
    sources = {case.forward: Picture.from_file(case.source.path).size for case in load_gedit_mini().cases}
    for asked in judge.asked:
        assert Picture.from_bytes(asked.pictures[-1]).size in set(sources.values())
    rows = {(row["metric"], row["subset"]): row for row in done.json["rows"]}
    shared = rows["Overall", "OVERALL (macro mean), intersection"]
    assert (shared["n"], rows["Overall", "OVERALL (macro mean)"]["n"]) == (11, 22)
    means = [
        row["score"] for (metric, subset), row in rows.items()
        if metric == "Overall" and subset.endswith(", intersection") and "OVERALL" not in subset
    ]  # fmt: skip
    assert len(means) == 11
    assert shared["score"] == shared["as_published"] == pytest.approx(sum(means) / 11)


def test_an_incomplete_benchmark_says_so_first_and_exits_3(
    cli: Cli, judge: JudgeServer, tmp_path: Path
) -> None:
    write_results(tmp_path / "made", leave_out=13)
    done = cli(*words(tmp_path, judge, "--as-published"))
    assert done.code == 3
    first, *_ = done.out.splitlines()
    assert first.endswith("mine: INCOMPLETE, 9 of 22 samples have every verdict")
    assert "as published" in done.out


def test_both_figures_and_their_n_are_in_the_csv(cli: Cli, judge: JudgeServer, tmp_path: Path) -> None:
    def script(number: int, asked: Asked) -> Any:
        return completion("hm") if '"yes" or "no"' in " ".join(asked.texts) else correct(number, asked)

    judge.script = script
    table = tmp_path / "table.csv"
    where = ("--suite", "reedit-mini", "-w", tmp_path / "w")
    cli("run", *where, "--model", "jpeg", "--protocol", "one_shot", "--metric", "psnr")
    done = cli("score", *where, "--judge", judge.name, "--as-published", "--csv", table)
    assert done.code == 3
    head, *lines = table.read_text().splitlines()
    columns = head.split(",")
    assert columns[-4:] == ["judge", "wording", "as_published", "as_published_n"]
    passed = [dict(zip(columns, line.split(","), strict=True)) for line in lines if "Passed" in line]
    assert {(row["score"], row["as_published"]) for row in passed} == {("", "0.0")}
    assert {row["wording"] for row in passed} == {"ConvergeBench's own wording"}
