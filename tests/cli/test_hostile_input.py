"""Tables, names and texts that are strange or mean harm: one sentence each, and nothing obeyed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from convergebench.cli.options import listed_models
from convergebench.packaged_files import PackagedFile
from convergebench.report.export.csv_files import csv_text
from convergebench.shown_text import printable
from faults.kills import finished

Cli = Callable[..., Any]
Words = Callable[..., list[object]]
HEADER = "model,image,edit_pair,image_type,edit_category,round,psnr,ssim\n"


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (
            "m,a.png,hat,portrait,add,1000000000,30,0.9",
            "line 2: round must be a whole number from 1 to 10000",
        ),
        ("m,a.png,hat,portrait,add,1,1e308,0.9", "line 2: psnr is 1e+308, more than any metric has"),
        ("m,a.png,hat,portrait,add,1,30,-inf", "line 2: ssim is -inf, which it can never be"),
        (f"m,a.png,hat,portrait,add,{'9' * 5000},30,1", "line 2: round must be a whole number"),
    ],
)
def test_an_absurd_number_is_refused_with_the_rows_number(
    row: str, said: str, cli: Cli, tmp_path: Path
) -> None:
    (tmp_path / "rows.csv").write_text(HEADER + row + "\n")
    ended = cli("import", tmp_path / "rows.csv", "-w", tmp_path / "results")
    assert ended.code == 2
    assert said in ended.sentence


@pytest.mark.parametrize("command", ["report", "summary"])
def test_a_suite_with_pictures_and_imported_rows_is_reported(
    command: str, cli: Cli, run: Words, tmp_path: Path
) -> None:
    cli(*run(model="jpeg"))
    listed = json.loads(cli("summary", "-w", tmp_path / "results", "--json").out)
    text = json.dumps(listed)
    suite = next(part for part in text.split('"') if part.startswith("folder:"))
    (tmp_path / "rows.csv").write_text(HEADER + "other,a.png,hat,portrait,add,2,30,0.9\n")
    done = cli("import", tmp_path / "rows.csv", "-w", tmp_path / "results", "--suite", suite)
    assert done.code == 0, done.err
    ended = cli(command, "-w", tmp_path / "results", "--suite", suite)
    assert ended.code == 0, ended.err


def test_an_error_with_json_is_an_object_on_standard_output(cli: Cli, tmp_path: Path) -> None:
    ended = cli("summary", "-w", tmp_path / "nowhere", "--json")
    assert ended.json["exit_code"] == ended.code == 1
    assert "no workspace" in ended.json["error"]


def test_text_from_outside_does_not_reach_the_terminal_as_it_is(tmp_path: Path) -> None:
    ended = finished(["run", "-m", "\x1b[2J\u202eevil\x07"], tmp_path, {})
    assert ended.code == 2
    assert "\\x1b[2J\\u202eevil\\x07" in ended.err
    assert not set("\x1b\u202e\x07") & set(ended.err)


def test_a_terminal_that_knows_only_ascii_gets_escapes(tmp_path: Path) -> None:
    program = [sys.executable, "-m", "convergebench", "run", "-m", "帽子"]  # encodings are set at a start
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    ended = subprocess.run(program, cwd=tmp_path, env=environment, capture_output=True, check=False)
    assert ended.returncode == 2
    assert b"\\u5e3d" in ended.stderr


def test_formulas_in_text_cells_are_guarded_and_numbers_are_not() -> None:
    assert csv_text([("=cmd()", "@x", "-1+1", -1.5, "\x1b", None)]) == "'=cmd(),'@x,'-1+1,-1.5,\\x1b,\n"


def test_every_script_is_shown_as_it_is() -> None:
    assert printable("naïve, Ж, 帽子, العربية, 🎩\n\t") == "naïve, Ж, 帽子, العربية, 🎩\n\t"


def test_parameters_and_paths_may_hold_commas() -> None:
    assert listed_models(["jpeg,diffusers:x?devices=cuda:0,cuda:1", "identity"]) == (
        "jpeg", "diffusers:x?devices=cuda:0,cuda:1", "identity",
    )  # fmt: skip
    assert listed_models(["jpeg,identity"]) == ("jpeg", "identity")


def test_a_model_spelled_twice_is_one(cli: Cli, run: Words) -> None:
    ended = cli(*run(model="jpeg,jpeg?quality=75"))
    assert ended.code == 0, ended.err
    assert "12 new edits" in ended.out


def test_a_program_of_this_folder_is_found_by_its_dot(
    cli: Cli, run: Words, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "copy.sh").write_text('#!/bin/sh\ncp "$1" "$3"\n')
    (tmp_path / "copy.sh").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    assert cli(*run(model="command:./copy.sh")).code == 0


def test_damaged_weights_are_not_taken_for_cached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONVERGEBENCH_CACHE", str(tmp_path))
    content = b"weights"
    file = PackagedFile("net==1", "net.bin", "9f5b1a2c" * 8)
    file.path.parent.mkdir(parents=True)
    file.path.write_bytes(content)
    assert not file.is_cached()
    assert not file.path.exists()


def test_names_with_commas_select_models_in_every_command(cli: Cli, run: Words, tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text(HEADER + '"Flux, large",a.png,hat,portrait,add,1,30,0.9\n')
    there = ("-w", tmp_path / "results")
    assert cli("import", tmp_path / "rows.csv", *there, "--suite", "t").code == 0
    (tmp_path / "rows.csv").write_text(HEADER + "mine,a.png,hat,portrait,add,1,20,0.8\n")
    assert cli("import", tmp_path / "rows.csv", *there, "--suite", "t").code == 0
    ended = cli("summary", "-m", "Flux, large,mine", "--json", *there)
    assert {row["model"] for row in ended.json["rows"]} == {"Flux, large", "mine"}
    assert cli("workspace", "hide", "-m", "Flux, large", *there).code == 0
    assert {row["model"] for row in cli("summary", "--json", *there).json["rows"]} == {"mine"}


def test_an_import_does_not_hide_the_suites_that_were_run(cli: Cli, run: Words, tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text(HEADER + "other,a.png,hat,portrait,add,2,30,0.9\n")
    there = ("-w", tmp_path / "results")
    assert cli("import", tmp_path / "rows.csv", *there).code == 0
    assert {row["model"] for row in cli("summary", "--json", *there).json["rows"]} == {"other"}
    assert cli(*run()).code == 0
    (tmp_path / "rows.csv").write_text(HEADER + "another,a.png,hat,portrait,add,2,30,0.9\n")
    assert cli("import", tmp_path / "rows.csv", *there).code == 0
    assert {row["model"] for row in cli("summary", "--json", *there).json["rows"]} == {"jpeg"}
    imported = cli("grid", "--suite", "imported", *there)
    assert imported.code == 2
    assert "imported tables have none" in imported.sentence
    for command in ("report", "paper"):
        ended = cli(command, "--suite", "imported", "-o", tmp_path / command, *there)
        assert ended.code == 0, (command, ended.err)


EDIT = '{"picture": "pictures/anna.png", "forward": "Add a hat.", "backward": "Remove it."'
DEEP = 100_000


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("deep.jsonl", "[" * DEEP, "nested too deeply"),
        ("deep.toml", "edit = " + "[" * DEEP, "nested too deeply"),
        ("long.jsonl", f'{EDIT}, "name": {"9" * 5000}}}', "line 1 is not valid JSON"),
        ("nan.jsonl", f'{EDIT}, "name": NaN}}', "every field must be a text"),
        ("half.jsonl", f'{EDIT}, "name": "\\ud83d"}}', "half of a character"),
        ("out.jsonl", EDIT.replace("pictures/", "../") + "}", "outside its folder"),
        ("root.jsonl", EDIT.replace("pictures/", "/etc/") + "}", "outside its folder"),
    ],
)
def test_strange_files_of_edits_are_one_sentence_each(
    name: str, content: str, said: str, cli: Cli, pictures: Path, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(content)
    ended = cli("run", "-m", "jpeg", "--edits", tmp_path / name, "-w", tmp_path / "results", "--json")
    assert ended.code == ended.json["exit_code"] == 2
    assert said in ended.json["error"]


def test_numbers_of_thirty_digits_are_refused(cli: Cli, run: Words) -> None:
    many = "9" * 30
    for option in ("--rounds", "--repeats", "--seed"):
        ended = cli(*run(option, many))
        assert ended.code == 2, option
        assert option in ended.sentence


@pytest.mark.parametrize("kind", ["folder", "text", "cut"])
def test_a_database_that_cannot_be_read_is_named(kind: str, cli: Cli, run: Words, tmp_path: Path) -> None:
    database = tmp_path / "results" / "convergebench.sqlite"
    cli(*run())
    whole = database.read_bytes()
    database.unlink()
    if kind == "folder":
        database.mkdir()
    else:
        database.write_bytes(b"no database" * 1000 if kind == "text" else whole[: len(whole) // 2])
    for words in (["summary", "-w", tmp_path / "results"], run()):
        ended = cli(*words, "--json")
        assert ended.code == ended.json["exit_code"] == 1
        assert str(database) in ended.json["error"]


@pytest.mark.parametrize(
    ("redirection", "code"),
    [
        (">&-", 0),
        (">&- <&- 2>&-", 0),
        ("--json > /dev/full", 1),
        ("| head -c 1", 0),
        ("-w nix --json >&-", 1),
    ],
)
def test_a_standard_output_that_is_closed_or_full(
    redirection: str, code: int, cli: Cli, run: Words, tmp_path: Path
) -> None:
    cli(*run())
    command = f"{sys.executable} -m convergebench summary -w results {redirection}"
    ended = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, timeout=100)
    assert ended.returncode == code
    assert "Traceback" not in ended.stderr and "Exception ignored" not in ended.stderr
    if "full" in redirection:
        assert "no space is left" in ended.stderr
