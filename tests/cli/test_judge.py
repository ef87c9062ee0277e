"""The judge command on a finished benchmark, against a loopback judge."""

from __future__ import annotations

import json
import shlex
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from convergebench.cli.main import code_of
from servers.judge import MODEL, Answer, Asked, JudgeServer, completion, failure, graded

CASES = 3


@pytest.fixture(scope="module")
def finished_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two models that change the picture, three cases each, two rounds."""
    workspace = tmp_path_factory.mktemp("judged") / "results"
    words = ["run", "-m", "jpeg?quality=50,jpeg?quality=90", "--suite", "converge-drawn", "--limit", CASES,
             "--rounds", 2, "--metric", "psnr", "-w", workspace]  # fmt: skip
    assert code_of([str(word) for word in words]) == 0
    return workspace


@pytest.fixture
def folder(tmp_path: Path, finished_run: Path) -> Path:
    return Path(shutil.copytree(finished_run, tmp_path / "results"))


@pytest.fixture
def server() -> Iterator[JudgeServer]:
    with JudgeServer() as running:
        yield running


def rows(ran: Any) -> dict[tuple[str, str], dict[str, Any]]:
    return {(row["model"], row["rubric"]): row for row in ran.json["rows"]}


def test_round_trips_are_judged_forward_and_back_without_an_edit(
    cli: Callable[..., Any], folder: Path, server: JudgeServer
) -> None:
    ran = cli("judge", "--judge", server.name, "-w", folder, "--json")
    assert ran.code == 0, ran.err
    found = rows(ran)
    assert len(found) == 4
    forward = found["jpeg?quality=50", "roundtrip_forward@2"]
    back = found["jpeg?quality=90", "roundtrip_reversal@2"]
    assert (forward["n"], forward["missing"], forward["mean"]) == (2 * CASES, 0, 1.0)
    assert (back["n"], back["missing"], back["mean"]) == (2 * CASES, 0, 7.0)


def test_the_interval_of_a_verdict_stays_on_the_scale_of_its_rubric(
    cli: Callable[..., Any], folder: Path, server: JudgeServer
) -> None:
    """Student's interval of so few extends far beyond all and none."""

    def every_third(number: int, asked: Asked) -> Answer:
        passes = number % 3 == 0
        return completion(graded(asked, happened="yes" if passes else "no", restored=10 * passes))

    server.script = every_third
    words = ["judge", "--judge", server.name, "-w", folder, "--rounds", 1, "--concurrency", 1]
    for (_, rubric), row in rows(cli(*words, "--json")).items():
        most = 1 if rubric.startswith("roundtrip_forward") else 10
        assert 0 < row["mean"] < most and (row["low"], row["high"]) == (0, most)


def test_only_the_models_and_rounds_that_are_named_are_judged(
    cli: Callable[..., Any], folder: Path, server: JudgeServer
) -> None:
    ran = cli("judge", "--judge", server.name, "-w", folder, "-m", "jpeg?quality=50", "--rounds", "2",
              "--rubric", "roundtrip_reversal", "--json")  # fmt: skip
    (row,) = ran.json["rows"]
    assert (row["model"], row["n"], len(server.asked)) == ("jpeg?quality=50", CASES, CASES)


def test_a_second_time_nothing_is_asked(cli: Callable[..., Any], folder: Path, server: JudgeServer) -> None:
    first = cli("judge", "--judge", server.name, "-w", folder, "--json")
    asked = len(server.asked)
    again = cli("judge", "--judge", server.name, "-w", folder, "--json")
    assert (asked, len(server.asked)) == (first.json["judge"]["calls"], asked)
    assert again.json["rows"] == first.json["rows"]


def test_repeats_are_further_verdicts_on_the_same_pictures(
    cli: Callable[..., Any], folder: Path, server: JudgeServer
) -> None:
    words = ["judge", "--judge", server.name, "-w", folder, "--rubric", "gedit_pq", "--json"]
    cli(*words)
    once = len(server.asked)
    more = cli(*words, "--repeats", 3)
    assert len(server.asked) == 3 * once
    assert rows(more)["jpeg?quality=50", "gedit_pq@1"]["n"] == 2 * CASES


def test_with_repeats_the_table_says_how_far_the_judge_agrees_with_itself(
    cli: Callable[..., Any], folder: Path, server: JudgeServer
) -> None:
    server.script = lambda number, asked: completion(graded(asked, artifacts=3 + 2 * (number % 2)))
    words = ["judge", "--judge", server.name, "-w", folder, "--rubric", "gedit_pq", "--concurrency", 1]
    found = cli(*words, "--repeats", 2, "--json").json["rows"]
    assert [row["spread"] for row in found] == [pytest.approx(2**0.5)] * 2  # each has a 3 and a 5
    assert all(row["alpha"] < 0 and row["mean"] == 4.0 for row in found)
    assert "alpha" in cli(*words, "--repeats", 2).out
    assert "alpha" not in cli(*words).out


def test_a_second_judge_is_compared_with_the_first_on_what_both_judged(
    cli: Callable[..., Any], folder: Path, server: JudgeServer
) -> None:
    def graded_by_size(number: int, asked: Asked) -> Answer:
        return completion(graded(asked, naturalness=9, artifacts=len(asked.pictures[0]) % 9))

    words = ["-w", folder, "--rubric", "gedit_pq", "--json"]
    server.script = graded_by_size
    alone = cli("judge", "--judge", server.name, *words)
    pictures = len(server.asked)
    same = cli("judge", "--judge", f"{server.name}&temperature=1", *words)
    server.script = lambda number, asked: completion(graded(asked, naturalness=9, artifacts=number % 9))
    other = cli("judge", "--judge", f"{server.name}&temperature=0.5", *words)
    assert alone.json["between_judges"] == []
    (both,) = same.json["between_judges"]
    assert (len(both["judges"]), both["subjects"], both["alpha"]) == (2, pictures, pytest.approx(1.0))
    (three,) = other.json["between_judges"]
    assert len(three["judges"]) == 3 and three["alpha"] < 0.9
    printed = cli("judge", "--judge", server.name, "-w", folder, "--rubric", "gedit_pq").out
    said = f"on {pictures} subjects that two or more of them judged by gedit_pq@1: alpha"
    assert said in " ".join(printed.split()) and printed.count(" and server") == 1


def test_judges_of_one_model_are_told_apart_and_compared_only_with_the_judge_that_was_asked(
    cli: Callable[..., Any], folder: Path, server: JudgeServer
) -> None:
    words = ["-w", folder, "--rubric", "gedit_pq"]
    cli("judge", "--judge", server.name, *words)
    second = cli("judge", "--judge", f"{server.name}&temperature=0.7", *words)
    assert f"server:{MODEL} and server:{MODEL}?temperature=0.7 on the same " in second.out
    server.script = lambda number, asked: failure(401, "no key")
    for name in (f"{server.name}&temperature=0.9", f"{server.name}&temperature=0.7"):
        third = cli("judge", "--judge", name, *words, "--repeats", 2)
        assert third.code != 0
        assert (" on the same " in third.out) == name.endswith("0.7")
    unheard = cli("judge", "--judge", f"{server.name}&temperature=0.9", *words, "--json")
    assert unheard.json["between_judges"] == []


def test_the_judge_sees_the_reference_pictures_of_a_suite_that_has_them(
    cli: Callable[..., Any], tmp_path: Path, server: JudgeServer
) -> None:
    folder = tmp_path / "results"
    ran = cli("run", "-m", "jpeg?quality=50", "--suite", "wiseedit-mini?language=en&subset=Awareness_1",
              "--metric", "psnr", "-w", folder, "--json")  # fmt: skip
    assert ran.code == 0, ran.err
    cli("judge", "--judge", server.name, "-w", folder, "--rubric", "wiseedit_if", "--json")
    assert {len(asked.pictures) for asked in server.asked} == {3}  # source, result and reference


def odd_ones_fail(number: int, asked: Asked) -> Answer:
    return failure(400, "strange", "content_policy_violation") if number % 2 else completion(graded(asked))


def test_missing_verdicts_are_counted_beside_the_mean_and_retried_on_request(
    cli: Callable[..., Any], folder: Path, server: JudgeServer
) -> None:
    words = ["judge", "--judge", server.name, "-w", folder, "--rubric", "gedit_pq", "--concurrency", 1]
    server.script = odd_ones_fail
    ran = cli(*words, "--json")
    assert ran.code == 3
    assert all(row["missing"] and row["mean"] == 7.0 for row in ran.json["rows"])
    assert {tuple(row["kinds"]) for row in ran.json["rows"]} == {("refused",)}
    server.script = lambda number, asked: completion(graded(asked))
    assert cli(*words).code == 3
    assert cli(*words, "--retry-missing").code == 0


def test_a_run_where_every_judgement_fails_exits_1_and_says_so(
    cli: Callable[..., Any], folder: Path, server: JudgeServer
) -> None:
    server.script = lambda number, asked: completion("A fine picture!")
    ran = cli("judge", "--judge", server.name, "-w", folder, "--rubric", "gedit_sc")
    assert ran.code == 1
    assert f"none of {4 * CASES} judgements succeeded ({4 * CASES} unparseable)" in ran.err
    assert "holds no JSON object" in ran.err
    assert ran.out == ""


def test_a_judge_that_cannot_be_used_exits_1_and_says_why(cli: Callable[..., Any], folder: Path) -> None:
    ran = cli("judge", "--judge", "vllm:q/vl", "-w", folder)
    assert ran.code == 1
    assert "vllm:q/vl cannot continue: vllm is not on the PATH" in ran.err


def test_a_rubric_of_your_own_is_a_file(
    cli: Callable[..., Any], folder: Path, server: JudgeServer, tmp_path: Path
) -> None:
    mine = tmp_path / "mood.toml"
    mine.write_text(
        'id = "mood"\nversion = 1\nof = "edit"\nsees = ["result"]\nprompt = "How is the mood?"\n'
        '[[ask]]\nname = "mood"\nlow = 1\nhigh = 8\nasks = "8 is bright."\n'
    )
    ran = cli("judge", "--judge", server.name, "-w", folder, "--rubric", mine, "--json")
    assert {row["rubric"] for row in ran.json["rows"]} == {"mood@1"}
    assert "How is the mood?" in server.asked[0].texts[0]


def test_max_cost_needs_a_price_and_holds_it(
    cli: Callable[..., Any], folder: Path, server: JudgeServer
) -> None:
    words = ["-w", folder, "--rubric", "gedit_pq", "--max-cost", "0.01", "--concurrency", 1]
    unknown = cli("judge", "--judge", server.name, *words)
    assert unknown.code == 2
    assert "usd_per_million_in" in unknown.sentence
    priced = f"{server.name}&usd_per_million_in=0&usd_per_million_out=2&max_tokens=100"
    ran = cli("judge", "--judge", priced, *words, "--json")
    assert (ran.code, ran.json["judge"]["out_of_budget"]) == (0, False)
    dear = f"{server.name}&usd_per_million_in=0&usd_per_million_out=40&max_tokens=101"
    ran = cli("judge", "--judge", dear, *words, "--json")
    assert (ran.code, ran.json["judge"]["out_of_budget"], ran.json["judge"]["ok"]) == (3, True, 2)
    assert [one["outcome"] for one in cli("workspace", "list", "-w", folder, "--json").json["runs"]][-2:] == [
        "finished",
        "out of budget",
    ]


def test_the_closing_line_says_what_judging_cost(
    cli: Callable[..., Any], folder: Path, server: JudgeServer
) -> None:
    words = ["-w", folder, "--rubric", "gedit_pq"]
    priced = f"{server.name}&usd_per_million_in=0&usd_per_million_out=10"  # $0.001 a reply
    ran = cli("judge", "--judge", priced, *words)
    assert f" s, ${len(server.asked) / 1000:.3f}." in ran.out
    assert "$" not in cli("judge", "--judge", priced, *words).out  # nothing was asked


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--judge", "opnai:x"], "did you mean openai?"),
        (["--judge", "ollama:x", "--rubric", "gedit"], "there is no rubric 'gedit'"),
        (["--judge", "ollama:x", "--max-cost", "nan"], "--max-cost must be a number of dollars"),
        (["--judge", "ollama:x", "--per-minute", "0"], "--per-minute must be a number above 0"),
        (["--judge", "ollama:x", "--rounds", "one"], "must look like 1,5,8-10"),
        (["--judge", "ollama:x", "--model", "nobody"], "has no picture for this selection"),
        (["--judge", "ollama:x", "--repeats", "0"], "repeats"),
    ],
)
def test_wrong_use_exits_2_with_one_sentence(
    cli: Callable[..., Any], folder: Path, words: list[str], said: str
) -> None:
    ran = cli("judge", *words, "-w", folder)
    assert ran.code == 2
    assert said in ran.sentence


def test_no_key_enters_the_workspace(
    cli: Callable[..., Any], folder: Path, server: JudgeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SERVER_API_KEY", "sk-very-secret")
    server.script = lambda number, asked: failure(400, f"bad: {json.dumps(asked.headers)}")
    cli("judge", "--judge", server.name, "-w", folder)
    assert server.asked[0].headers["authorization"] == "Bearer sk-very-secret"
    files = list(folder.glob("convergebench.sqlite*"))
    assert files and not any(b"sk-very-secret" in path.read_bytes() for path in files)


def test_verdicts_decide_the_headline_if_they_cover_all_models(
    cli: Callable[..., Any], tmp_path: Path, server: JudgeServer
) -> None:
    folder = tmp_path / "results"
    words = ["--suite", "converge-drawn", "--limit", CASES, "--rounds", 2, "--metric", "ssim,regions"]
    assert cli("run", "-m", "classical,classical-ghost", *words, "-w", folder, "--json").code == 0
    server.script = lambda number, asked: completion(graded(asked, restored=5, undone="no"))

    def headline() -> Any:
        return cli("summary", "-w", folder, "--json").json

    pixels = headline()["headline"]["deciders"]
    cli("judge", "--judge", server.name, "-w", folder, "-m", "classical", "--json")
    assert headline()["headline"]["deciders"] == pixels  # one model's verdicts are used for none
    cli("judge", "--judge", server.name, "-w", folder, "--json")
    judged = headline()
    assert judged["headline"]["deciders"] == {"judge": CASES}
    assert judged["headline"]["graded_cases"] == CASES
    assert {row["undid_mean"]["value"] for row in judged["rows"]} == {0.5}
    assert {row["stayed"]["text"] for row in judged["rows"]} == {f"{2 * CASES} of {2 * CASES}"}
    assert {(row["did"]["value"], row["did"]["bound"]) for row in judged["rows"]} == {(1.0, None)}
    said = " ".join(cli("summary", "-w", folder).out.split())
    assert f"Whether an edit happened is decided by a judge in {CASES} cases." in said
    assert "roundtrip_reversal@2" in said


def test_single_edits_of_own_pictures_are_judged_by_the_command_that_their_run_names(
    cli: Callable[..., Any], run: Callable[..., list[object]], server: JudgeServer
) -> None:
    last = cli(*run("--protocol", "one_shot")).out.splitlines()[-1]
    _, _, command = last.partition("Judge them with: convergebench ")
    judged = cli(*shlex.split(command.replace("PROVIDER:MODEL", server.name)), "--json")
    assert judged.code == 0, judged.err
    assert sum(row["n"] for row in judged.json["rows"]) == CASES


def test_single_edits_of_a_benchmark_are_scored(cli: Callable[..., Any], tmp_path: Path) -> None:
    ran = cli("run", "-m", "jpeg", "--suite", "reedit-mini", "--limit", 1, "-w", tmp_path / "results")
    assert "Judge them with: convergebench score --suite reedit-mini " in ran.out
