from __future__ import annotations

import csv
import json
import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from convergebench.benchmarks.gedit.mini import load_gedit_mini
from convergebench.benchmarks.wiseedit.mini import load_wiseedit_mini
from convergebench.picture import Picture
from convergebench.store import Workspace
from made_pictures import textured
from servers.judge import Answer, Asked, JudgeServer, completion, correct, failure, graded
from set_imitations import png, write_imgedit

Cli = Callable[..., Any]
CASES = 22


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONVERGEBENCH_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def judge() -> Iterator[JudgeServer]:
    with JudgeServer() as server:
        yield server


def write_edits(folder: Path, leave_out: int = 0, more: str = "") -> Path:
    """A list of pictures for the mini-suite's English cases, less the last few."""
    folder.mkdir(exist_ok=True)
    lines = []
    for number, case in enumerate(load_gedit_mini().cases[: CASES - leave_out]):
        (folder / f"{number}.png").write_bytes(Picture.from_pixels(textured(seed=number)).encoded)
        lines.append(json.dumps({"id": case.id, "image_path": f"{number}.png"}))
    (folder / "edits.jsonl").write_text("\n".join(lines) + "\n" + more)
    return folder / "edits.jsonl"


def words(edits: Path, tmp_path: Path, *more: object) -> list[object]:
    return ["score", edits, "--suite", "gedit-mini", "--model", "mine", "-w", tmp_path / "results", *more]


def test_a_complete_list_is_scored_and_the_table_written_as_csv(
    cli: Cli, judge: JudgeServer, tmp_path: Path
) -> None:
    edits = write_edits(tmp_path / "made")
    done = cli(*words(edits, tmp_path, "--judge", judge.name, "--csv", tmp_path / "table.csv"))
    assert done.code == 0, done.err
    assert f"Coverage: {CASES} of {CASES} cases have a picture (100.0%)." in done.out
    rows = list(csv.DictReader((tmp_path / "table.csv").open()))
    (overall,) = [
        row for row in rows if (row["metric"], row["subset"]) == ("Overall", "OVERALL (sample mean)")
    ]
    assert (overall["model"], overall["n"], float(overall["score"])) == ("mine", str(CASES), 7.0)


def test_gaps_are_counted_and_listed_and_do_not_stop_it(cli: Cli, judge: JudgeServer, tmp_path: Path) -> None:
    edits = write_edits(tmp_path / "made", leave_out=2, more='{"id": "unheard-of", "image_path": "0.png"}\n')
    (tmp_path / "made" / "0.png").write_bytes(b"no picture")
    done = cli(*words(edits, tmp_path, "--judge", judge.name, "--json"))
    assert done.code == 3
    assert done.json["complete"] == {"mine": {"complete": CASES - 3, "samples": CASES}}
    coverage = done.json["coverage"]
    assert (coverage["cases"], coverage["usable"]) == (CASES, CASES - 3)
    assert coverage["unknown"] == ["unheard-of"]
    assert coverage["missing"] == [case.id for case in load_gedit_mini().cases[-2:]]
    assert list(coverage["unreadable"]) == [load_gedit_mini().cases[0].id]
    (overall,) = [
        row
        for row in done.json["rows"]
        if (row["metric"], row["subset"]) == ("Overall", "OVERALL (sample mean)")
    ]
    assert (overall["n"], overall["missing"], overall["score"]) == (CASES - 3, 3, 7.0)


def test_strict_makes_gaps_an_error_before_anything_is_asked(
    cli: Cli, judge: JudgeServer, tmp_path: Path
) -> None:
    edits = write_edits(tmp_path / "made", leave_out=1)
    (tmp_path / "made" / "0.png").write_bytes(b"no picture")
    done = cli(*words(edits, tmp_path, "--judge", judge.name, "--strict"))
    assert done.code == 3
    assert "1 case without a picture: tone_transfer-2-en" in done.err
    assert "1 case with a picture that cannot be read" in done.err
    assert judge.asked == []
    assert not (tmp_path / "results").exists()


def test_strict_is_content_with_a_complete_list(cli: Cli, tmp_path: Path) -> None:
    assert cli(*words(write_edits(tmp_path / "made"), tmp_path, "--strict")).code == 0


def test_pictures_of_cases_that_were_not_chosen_are_not_unknown(cli: Cli, tmp_path: Path) -> None:
    edits = write_edits(tmp_path / "made")
    done = cli(*words(edits, tmp_path, "--subset", "text_change", "--strict", "--json"))
    assert done.code == 0
    assert (done.json["cases"], done.json["coverage"]["not_chosen"]) == (2, CASES - 2)


def test_without_a_list_what_is_in_the_workspace_is_scored(
    cli: Cli, judge: JudgeServer, tmp_path: Path
) -> None:
    cli(*words(write_edits(tmp_path / "made"), tmp_path))
    done = cli("score", "--suite", "gedit-mini", "-w", tmp_path / "results", "--judge", judge.name, "--json")
    assert done.code == 0
    assert {row["model"] for row in done.json["rows"]} == {"mine"}


def test_a_replaced_picture_is_judged_again_and_the_others_are_not(
    cli: Cli, judge: JudgeServer, tmp_path: Path
) -> None:
    edits = write_edits(tmp_path / "made")
    asking = words(edits, tmp_path, "--judge", judge.name, "--json")
    assert cli(*asking).json["judged"]["asked"] == 2 * CASES
    (tmp_path / "made" / "5.png").write_bytes(Picture.from_pixels(textured(seed=99)).encoded)
    again = cli(*asking).json
    assert again["judged"]["asked"] == 2
    assert {row["model"] for row in again["rows"]} == {"mine"}


def test_judging_that_fails_throughout_exits_1_and_says_so(
    cli: Cli, judge: JudgeServer, tmp_path: Path
) -> None:
    judge.script = lambda number, asked: failure(401, "no such key")
    done = cli(*words(write_edits(tmp_path / "made"), tmp_path, "--judge", judge.name, "--limit", 1))
    assert done.code == 1
    assert "the judge cannot continue" in done.err


def test_missing_verdicts_exit_3(cli: Cli, judge: JudgeServer, tmp_path: Path) -> None:
    prose = completion("I cannot say.")
    answer = judge.script
    judge.script = lambda number, asked: prose if len(asked.pictures) == 1 else answer(number, asked)
    edits = write_edits(tmp_path / "made")
    done = cli(*words(edits, tmp_path, "--judge", judge.name, "--limit", 1, "--json"))
    assert done.code == 3
    scores = {row["metric"]: row["score"] for row in done.json["rows"]}
    assert scores == {"Semantic Consistency": 7.0, "Perceptual Quality": None, "Overall": None}


def test_result_folders_of_wiseedit_are_scored(cli: Cli, judge: JudgeServer, tmp_path: Path) -> None:
    for case in load_wiseedit_mini("en").cases:
        file = tmp_path / "made" / "mine" / f"{case.id}.png"
        file.parent.mkdir(parents=True)
        file.write_bytes(Picture.from_pixels(textured()).encoded)
    done = cli(
        "score", tmp_path / "made", "--suite", "wiseedit-mini", "--language", "en", "--model", "mine",
        "-w", tmp_path / "results", "--judge", judge.name, "--strict", "--json",
    )  # fmt: skip
    assert done.code == 0, done.err
    (overall,) = [row for row in done.json["rows"] if row["subset"] == "overall"]
    assert overall["score"] == pytest.approx(66.7)


def test_the_notes_count_every_missing_sample_of_all_categories_and_languages_once(
    cli: Cli, judge: JudgeServer, tmp_path: Path
) -> None:
    """The model takes one picture, and 16 of the cases have more; no verdict on knowledge can be read."""
    results = ["--suite", "wiseedit-mini", "-w", tmp_path / "results"]
    assert cli("run", *results, "-m", "noise").code != 2
    judge.script = lambda number, asked: completion(
        "no" if any('"knowledge_fidelity"' in text for text in asked.texts) else graded(asked)
    )
    said = cli("score", *results, "--judge", judge.name).out
    assert "noise: INCOMPLETE, 2 of 22 samples have every verdict" in said
    counts = {why: int(count) for count, why in re.findall(r"noise: (\d+) samples? missing: (.*)", said)}
    assert counts.pop("verdict unparseable") == 4
    assert sum(counts.values()) == 16 and all(why.startswith("no picture") for why in counts)


@pytest.mark.parametrize(
    ("more", "said"),
    [(["--suite", "converge"], "converge has no judged scores"), (["--suite", "wiseedit"], "--data"),
     (["--language", "fr"], "no language of GEdit-Bench 'fr'"), (["--limit", "0"], "leaves no case"),
     (["--model", "other"], "one --model NAME"), (["--max-cost", "inf"], "number of dollars")],
)  # fmt: skip
def test_wrong_use_says_what_to_do(more: list[str], said: str, cli: Cli, tmp_path: Path) -> None:
    done = cli(*words(write_edits(tmp_path / "made"), tmp_path), *more)
    assert done.code == 2
    assert said in done.sentence


MANY = 64


def many_results(folder: Path) -> list[object]:
    """GEdit-Bench's layout, with more pictures than are taken in before the first question."""
    place, lines = folder / "made" / "fullset" / "color_alter" / "en", []
    place.mkdir(parents=True)
    for number in range(MANY):
        for file in (folder / f"{number}.png", place / f"{number}.png"):
            file.write_bytes(Picture.from_pixels(textured(16, 16, seed=number)).encoded)
        lines.append(
            {"key": str(number), "task_type": "color_alter", "instruction": f"Paint it {number}.",
             "instruction_language": "en", "input_image": f"{number}.png"}
        )  # fmt: skip
    (folder / "data.jsonl").write_text("\n".join(map(json.dumps, lines)))
    where = ["--suite", "gedit", "--data", folder / "data.jsonl", "--model", "mine", "-w", folder / "results"]
    return ["score", folder / "made", *where, "--concurrency", 1]


def stored_edits(folder: Path) -> int:
    with Workspace.existing(folder / "results") as workspace:
        return len(workspace.query("SELECT * FROM steps"))


def test_pictures_are_taken_in_at_the_judges_pace(cli: Cli, tmp_path: Path) -> None:
    stored: list[int] = []

    def count_first(number: int, asked: Asked) -> Answer:
        stored.append(stored_edits(tmp_path))
        return correct(number, asked)

    with JudgeServer(count_first) as judge:
        done = cli(*many_results(tmp_path), "--judge", judge.name)
    assert done.code == 0, done.err
    assert len(stored) == 2 * MANY and stored[0] < MANY and stored[-1] == MANY


def test_all_pictures_are_taken_in_although_the_judge_cannot_be_used(cli: Cli, tmp_path: Path) -> None:
    with JudgeServer(lambda number, asked: failure(401, "no such key")) as judge:
        done = cli(*many_results(tmp_path), "--judge", judge.name)
    assert done.code != 0
    assert stored_edits(tmp_path) == MANY


def test_entries_of_a_set_that_are_no_cases_count_as_missing(cli: Cli, tmp_path: Path) -> None:
    data = write_imgedit(tmp_path / "data")
    place = data / "Benchmark" / "Basic" / "basic_edit.json"
    listed = json.loads(place.read_text())
    place.write_text(json.dumps({**listed, "7": {"id": "animal/000000001.jpg", "edit_type": "add"}}))
    made = tmp_path / "made"
    made.mkdir()
    for name in listed:
        (made / f"{name}.png").write_bytes(png(int(name)))
    lines = [json.dumps({"id": name, "image_path": f"{name}.png"}) for name in listed]
    (made / "edits.jsonl").write_text("\n".join(lines))
    grades = {"instruction": 5, "blending": 4, "preservation": 5}
    with JudgeServer(lambda number, asked: completion(graded(asked, **grades))) as judge:
        done = cli("score", made / "edits.jsonl", "-m", "mine", "--suite", "imgedit", "--data", data,
                   "--judge", judge.name, "-w", tmp_path / "w", "--json")  # fmt: skip
    assert done.code == 0, done.err
    assert done.err.count("it has no instruction") == 1
    counts = {row["subset"]: (row["n"], row["missing"]) for row in done.json["rows"]}
    assert {counts["OVERALL (sample mean)"], counts["OVERALL (macro mean)"]} == {(5, 1)}
    assert counts["add"] == (1, 0), "of which type it is was not known"
    assert {row["judge"] for row in done.json["rows"]} == {judge.name.partition("?")[0]}
    assert cli("summary", "-w", tmp_path / "w").code == 0


@pytest.mark.parametrize("suite", ["imgedit", "converge-drawn"])
def test_the_command_that_run_names_for_judging_works(
    cli: Cli, judge: JudgeServer, tmp_path: Path, suite: str
) -> None:
    data = ["--data", write_imgedit(tmp_path / "a set")] if suite == "imgedit" else []
    words = ["--suite", suite, *data, "--protocol", "one_shot", "--metric", "psnr"]
    done = cli("run", *words, "--model", "jpeg", "--limit", 5, "-w", tmp_path / "w")
    (named,) = re.findall(r"Judge them with: convergebench (.*) PROVIDER:MODEL", " ".join(done.out.split()))
    done = cli(*shlex.split(named), judge.name)
    assert done.code in (0, 1), done.err  # the judge's grades need not be on the scale
    assert judge.asked
