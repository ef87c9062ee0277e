"""convergebench refine, with the built-in editor, a loopback reasoner and a loopback judge."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from convergebench.benchmarks.reedit.mini import load_reedit_mini, mini_rows, write_mini
from servers.judge import MODEL, Answer, Asked, JudgeServer, completion, failure, graded
from tiny_qwen import save_tiny_qwen

Cli = Callable[..., Any]
GEOMETRY = ("Flip the image horizontally", "Rotate the image 90 degrees clockwise")
"""What the built-in editor does to any picture."""


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONVERGEBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


def is_look(asked: Asked) -> bool:
    return any('"instructions"' in text for text in asked.texts)


def advice(*instructions: str) -> Answer:
    return completion(json.dumps({"reasoning": "I see it.", "instructions": instructions}))


def answer(number: int, asked: Asked) -> Answer:
    """Advice by what the case asks for; verdicts that are all the same."""
    if not is_look(asked):
        return completion(graded(asked))
    said = " ".join(asked.texts)
    if "umbrella" in said:
        return advice()
    if "red ball" in said:
        return completion("Looks good to me.")
    if "chair" in said:
        return advice("Make it dream")
    return advice(*GEOMETRY)


@pytest.fixture
def server() -> Iterator[JudgeServer]:
    with JudgeServer(answer) as running:
        yield running


@pytest.fixture
def words(server: JudgeServer) -> Callable[..., list[object]]:
    def made(*more: object) -> list[object]:
        return ["refine", "-m", "noise", "--executor", "classical", "--reasoner", server.name, *more]

    return made


Words = Callable[..., list[object]]


def in_mini(words: Words, *more: object) -> list[object]:
    return words("--suite", "reedit-mini", *more)


def test_the_whole_of_it_on_the_mini_suite(cli: Cli, words: Words, server: JudgeServer) -> None:
    done = cli(*in_mini(words, "--judge", server.name, "--chain", "--json")).json
    cases = {case["case"]: case for case in done["cases"]}
    assert done["exit_code"] == 3, "some are missing, and that is said"
    assert len(cases) == 10
    content, malformed, refused = cases["physical/001"], cases["physical/002"], cases["referential/009"]
    assert content["refined_is_primary"]
    assert content["refined"] == content["primary"]
    assert malformed["refined_missing"].startswith("no advice: the reply holds no JSON object")
    assert refused["rounds"][0]["instructions"] == ["Make it dream"]
    assert refused["refined_missing"].startswith("no picture: the classical editor")
    assert refused["primary"] is not None
    edited = [case for case in cases.values() if case["refined"] and not case["refined_is_primary"]]
    assert [case["rounds"][0]["instructions"] for case in edited] == [list(GEOMETRY)] * 7
    (overall,) = [row for row in done["transitions"]["rows"] if row["category"].startswith("OVERALL")]
    assert (overall["maintained"], overall["missing"]) == (8, 2)
    assert done["transitions"]["judge"]["condition"] == "healthy"


@pytest.mark.parametrize("rounds", [0, 1])
def test_the_judge_is_named_without_the_address_of_its_server(
    cli: Cli, words: Words, server: JudgeServer, tmp_path: Path, rounds: int
) -> None:
    table = tmp_path / "table.csv"
    judged = in_mini(words, "--judge", server.name, "--limit", 1, "--rounds", rounds)
    printed, in_json = cli(*judged, "--csv", table).out, cli(*judged, "--json").out
    assert f"Judge server:{MODEL}, " in " ".join(printed.split())
    rows = list(csv.DictReader(table.open()))
    assert {row["judge"] for row in rows} == {f"server:{MODEL}"}
    assert json.loads(in_json)["judge"] == f"server:{MODEL}"
    assert not [text for text in (printed, table.read_text(), in_json) if server.url in text]


def test_a_judge_sees_the_original_and_the_original_instruction_and_nothing_twice(
    cli: Cli, words: Words, server: JudgeServer
) -> None:
    cli(*in_mini(words, "--chain", "--judge", server.name))
    judged = [asked for asked in server.asked if not is_look(asked)]
    originals = {row["edit_instruction_en"] for row in mini_rows()}
    told = [text for asked in judged for text in asked.texts if text.startswith("The instruction")]
    assert {text.split("<<<\n")[1].split("\n>>>")[0] for text in told} <= originals
    sources = {case.source.path.read_bytes() for case in load_reedit_mini().cases}
    assert {asked.pictures[0] for asked in judged if len(asked.pictures) == 2} == sources
    # Ten primary and seven other refined pictures, four rubrics each: the unchanged one is judged once.
    assert len(judged) == (10 + 7) * 4
    assert len({json.dumps(asked.body) for asked in judged}) == len(judged)
    before = len(server.asked)
    assert cli(*in_mini(words, "--chain", "--judge", server.name)).code == 3
    assert len(server.asked) == before


def test_a_judge_that_is_down_for_good_is_said_in_a_sentence_and_the_edits_are_there(
    cli: Cli, words: Words, server: JudgeServer
) -> None:
    server.script = lambda number, asked: (
        answer(number, asked) if is_look(asked) else failure(401, "no such key")
    )
    told = cli(*in_mini(words, "--chain", "--judge", server.name))
    assert told.code == 3
    (sentence,) = [line for line in told.err.splitlines() if "cannot continue" in line]
    assert sentence.endswith("the key in SERVER_API_KEY was rejected; check it and rerun the command")
    done = cli(*in_mini(words, "--chain", "--judge", server.name, "--json")).json
    assert sum(case["refined"] is not None for case in done["cases"]) == 8
    assert "was rejected" in done["judged"]["unusable"]
    server.script = answer
    looks = sum(map(is_look, server.asked))
    again = cli(*in_mini(words, "--chain", "--judge", server.name, "--json")).json
    assert (again["run"]["edits"], again["judged"]["ok"]) == (0, (10 + 8) * 4)
    assert sum(map(is_look, server.asked)) == looks


def test_the_tables_say_what_became_of_the_verdicts_and_what_every_round_did(
    cli: Cli, words: Words, server: JudgeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    done = cli(*in_mini(words, "--chain", "--judge", server.name, "--rounds", 2))
    assert "Transitions: noise" in done.out
    rounds = [line.split() for line in done.out.splitlines() if line.startswith("noise  ")]
    assert [line[:6] for line in rounds] == [
        ["noise", "0", "10", "0", "0", "0"],
        ["noise", "1", "10", "1", "7", "2"],
        ["noise", "2", "10", "1", "7", "2"],
    ]
    assert "1 of 10 cases have no refined picture: no advice" in done.err


def test_one_picture_becomes_four_files(cli: Cli, words: Words, server: JudgeServer, tmp_path: Path) -> None:
    picture = load_reedit_mini().cases[0].source.path
    done = cli(*words("--image", picture, "--instruction", "Add a kitten", "--description", "A house.",
                      "--chain", "--judge", server.name, "--output-dir", "out",
                      "--output-prefix", "mine"))  # fmt: skip
    assert done.code == 0, done.err
    names = ("mine_primary.png", "mine_refined.png", "mine_cot.txt", "mine_re_edit.txt")
    assert {path.name for path in (tmp_path / "out").iterdir()} == set(names)
    assert (tmp_path / "out" / "mine_cot.txt").read_text() == "I see it.\n"
    assert (tmp_path / "out" / "mine_re_edit.txt").read_text() == f"{'; '.join(GEOMETRY)}\n"
    primary, refined = (Path("out", name).read_bytes() for name in names[:2])
    assert primary != refined
    for said in ("Add a kitten", "looked    I see it.", f"re-edit   {GEOMETRY[1]}", "reedit_sc: 7"):
        assert said in done.out


def test_files_of_an_earlier_run_do_not_stand_for_what_is_missing(
    cli: Cli, words: Words, server: JudgeServer, tmp_path: Path
) -> None:
    picture = load_reedit_mini().cases[0].source.path
    cli(*words("--chain", "--image", picture, "--instruction", "Add a kitten", "--output-prefix", "mine"))
    assert (tmp_path / "refined" / "mine_refined.png").exists()
    done = cli(*words("--image", picture, "--instruction", "Add a chair", "--output-prefix", "mine"))
    assert done.code == 3
    assert not (tmp_path / "refined" / "mine_refined.png").exists()
    assert "no refined picture: no picture: " in done.err


def test_without_rounds_it_is_a_plain_evaluation(cli: Cli, server: JudgeServer) -> None:
    done = cli("refine", "-m", "noise", "--suite", "reedit-mini", "--rounds", 0, "--judge", server.name,
               "--grade", "category", "--json").json  # fmt: skip
    assert done["transitions"] is None
    (overall,) = [row for row in done["rows"] if row["subset"].startswith("OVERALL")]
    assert (overall["metric"], overall["n"], overall["missing"]) == ("Passed (%)", 10, 0)
    assert not any(map(is_look, server.asked))


def test_primary_pictures_can_come_out_of_a_folder_with_a_suffix(
    cli: Cli, words: Words, server: JudgeServer
) -> None:
    cli(*in_mini(words, "--output-dir", "made"))
    folder = ["refine", "-m", "folder:made?suffix=_primary.png", "--executor", "classical", "--reasoner",
              server.name, "--suite", "reedit-mini"]  # fmt: skip
    asked = len(server.asked)
    again = cli(*folder, "--json").json
    assert len(server.asked) == asked, "the same pictures were looked at before"
    assert sum(case["primary"] is not None for case in again["cases"]) == 10


def test_a_dry_run_asks_nothing_and_says_what_is_left(cli: Cli, words: Words, server: JudgeServer) -> None:
    done = cli(*in_mini(words, "--rounds", 2, "--dry-run", "--json")).json
    (row,) = done["models"]
    assert (row["primaries"], row["looks"], row["edits"], row["cost_usd"]) == (10, 20, 20, 0.0)
    assert server.asked == []
    assert not Path("results").exists()
    cli(*in_mini(words, "--chain"))
    (row,) = cli(*in_mini(words, "--chain", "--rounds", 2, "--dry-run", "--json")).json["models"]
    # One case is over; of the others eight have advice, and seven an edit.
    assert (row["primaries"], row["looks"], row["edits"]) == (0, 20 - 2 - 8, 20 - 2 - 7)


def test_a_dry_run_counts_the_judgements_that_are_left(cli: Cli, words: Words, server: JudgeServer) -> None:
    judged = in_mini(words, "--rounds", 1, "--judge", server.name)
    (before,) = cli(*judged, "--dry-run", "--json").json["models"]
    done = cli(*judged, "--json").json["judged"]
    (after,) = cli(*judged, "--dry-run", "--json").json["models"]
    assert before["judgements"] == 80 and done["judgements"] > 0
    assert after["judgements"] == 80 - done["judgements"], "of those without a picture"


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (["--suite", "reedit-mini"], "choose the reasoner with --reasoner PROVIDER:MODEL, or refine"),
        (["--reasoner", "nobody:x", "--suite", "reedit-mini"], "there is no judge provider 'nobody'"),
        (["--reasoner", "openai:x", "--max-cost", "1", "--suite", "reedit-mini"], "the price of openai:x is"),
        (["--reasoner", "openai:x", "--image", "a.png"], "one picture needs both --image and --instruction"),
    ],
)
def test_what_cannot_be_meant_is_said_in_a_sentence(cli: Cli, given: list[str], sentence: str) -> None:
    done = cli("refine", "-m", "classical", *given)
    assert done.code == 2
    assert done.sentence.startswith(sentence)


def test_a_configuration_of_re_edit_is_translated_and_runs(cli: Cli, tmp_path: Path) -> None:
    """With a tiny FLUX.1 Kontext as both editors, a tiny Qwen2.5-VL that reasons and one that judges."""
    tiny_pipelines = pytest.importorskip("tiny_pipelines")
    write_mini(tmp_path)
    weights = tiny_pipelines.save(tiny_pipelines.flux_kontext, tmp_path / "kontext")
    verdict = {"reason": "seen", "passes": "yes", "success": 7, "restraint": 6, "followed": 8}
    reasoner = save_tiny_qwen(tmp_path / "reasoner", "<CoT>It floats.</CoT>", "<Re_edit>Lower it</Re_edit>")
    judge = save_tiny_qwen(tmp_path / "judge", json.dumps(verdict))
    params = {"model_name": str(weights), "num_inference_steps": 1, "torch_dtype": "float32",
              "max_sequence_length": 32, "seed": 42}  # fmt: skip
    theirs = {
        "data": {"data_path": "RE-Edit.json", "categories": ["physical"], "max_samples": 1},
        "evaluation": {
            "output_dir": "out",
            "enable_sc_metric": True,
            "enable_primary_scoring": True,
            "enable_instruction_following_metric": True,
            "log_level": "info",
        },
        "diffusion_model": {
            part: {"type": "flux_kontext", "params": params} for part in ("primary", "refinement")
        },
        "mllm": {"type": "qwen25_vl", "params": {"model_name": str(reasoner), "max_new_tokens": 8}},
        "reward_model": {"type": "qwen25_vl", "params": {"model_name": str(judge)}},
    }
    (tmp_path / "theirs.yaml").write_text(yaml.safe_dump(theirs))
    told = cli("refine", "convert", "theirs.yaml", "--output", "ours.yaml")
    assert "evaluation.log_level has no counterpart and is ignored" in told.out
    done = cli("refine", "--config", "ours.yaml", "--json").json
    assert done["exit_code"] == 0
    (case,) = done["cases"]
    assert case["rounds"][0]["instructions"] == ["Lower it"]
    assert (tmp_path / "out" / "physical" / "001_refined.png").exists()
    (overall,) = [row for row in done["transitions"]["rows"] if row["category"].startswith("OVERALL")]
    assert overall["maintained"] == 1
    assert overall["differences"]["Semantic Consistency"]["refined"]["mean"] == 6.0


def test_the_same_from_python(server: JudgeServer, tmp_path: Path) -> None:
    import convergebench

    done = convergebench.refine(
        "noise", executor="classical", chained=True, reasoner=server.name, suite="reedit-mini",
        categories=["cultural"], workspace=str(tmp_path / "w"),
    )  # fmt: skip
    assert [case.after(1).picture is not None for case in done.cases] == [True, True]
