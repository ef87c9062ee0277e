from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

COMMANDS = (
    "run", "summary", "compare", "worst", "view", "report", "export", "plot", "grid", "judge", "score",
    "task", "import", "audit", "measure", "models", "models show", "models try", "suites", "metrics",
    "doctor", "weights", "weights pull", "refine", "refine convert",
)  # fmt: skip
Cli = Callable[..., Any]
Words = Callable[..., list[object]]


def test_without_a_command_there_is_help(cli: Cli) -> None:
    alone, asked = cli(), cli("--help")
    assert (alone.code, alone.out) == (0, asked.out)
    for command in (name for name in COMMANDS if " " not in name):
        assert f"\n  {command} " in asked.out


def test_the_list_of_commands_is_not_cut_off_at_80_columns(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert "..." not in cli("--help").out.partition("Commands:")[2]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_and_argument_is_explained(cli: Cli, command: str) -> None:
    shown = cli(*command.split(), "--help")
    assert shown.code == 0
    assert "<list[" not in shown.out.partition("Options:")[2]
    options = re.findall(r"^  (-.*)$", shown.out.partition("Options:")[2], re.MULTILINE)
    assert options
    for line, following in zip(options, [*options[1:], ""], strict=True):
        text = shown.out[shown.out.index(line) : shown.out.index(following) if following else None]
        assert len(re.split(r"\s{2,}", text.strip())) >= 2, f"{line} has no help"


def test_the_version_is_told(cli: Cli) -> None:
    from convergebench._version import __version__

    assert cli("--version").out == f"convergebench {__version__}\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["sumary"], "no such command 'sumary'; did you mean 'summary'?"),
        (["frobnicate"], "no such command 'frobnicate'; see: convergebench --help"),
        (["run"], "missing option '--model'"),
        (["run", "-m", "jpeg", "--bogus"], "no such option"),
        (["run", "-m", "jpeg", "--rounds", "two"], "invalid value for '--rounds'"),
        (["run", "-m", ","], "name at least one model with --model; see: convergebench models"),
        (["measure"], "nothing to measure"),
        (["weights"], "missing command; see: convergebench weights --help"),
        (["grid", "--columns", "0"], "invalid value for '--columns'"),
        (["suites", "--sheet", "sheet.png"], "name the suite"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_use_ends_with_2_and_one_sentence_that_helps(cli: Cli, words: list[str], said: str) -> None:
    ended = cli(*words)
    assert ended.code == 2
    assert ended.out == ""
    assert said in ended.sentence
    assert re.search(r"see: convergebench|did you mean", ended.sentence)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--model", "jpg"], "there is no model 'jpg'; did you mean jpeg?"),
        (["--model", "jpeg?quality=abc"], "jpeg?quality must be a whole number, not abc"),
        (["--model", "jpeg?nope=1"], "jpeg has no parameter nope; it takes quality"),
        (["--suite", "convrge"], "there is no suite 'convrge'; did you mean converge?"),
        (["--suite", "folder:/no/such/place"], "/no/such/place is not a folder"),
        (["--metric", "sim"], "there is no metric 'sim'; did you mean ssim?"),
        (["--pair", "horizontal_flop"], "did you mean horizontal_flip?"),
        (["--kind", "pictur"], "did you mean picture?"),
        (["--category", "geometrics"], "did you mean geometric?"),
        (["--picture", "ana"], "did you mean anna?"),
        (["--rounds", "0"], "--rounds must be at least 1"),
        (["--repeats", "0"], "--repeats must be at least 1"),
        (["--concurrency", "0"], "--concurrency must be at least 1"),
        (["--max-cost", "inf"], "--max-cost must be a number of dollars, 0 or more, not inf"),
        (["--max-cost", "nan"], "--max-cost must be a number of dollars, 0 or more, not nan"),
        (["--max-cost", "-1"], "--max-cost must be a number of dollars, 0 or more, not -1"),
        (["--per-minute", "inf"], "--per-minute must be a number above 0, not inf"),
        (["--per-minute", "nan"], "--per-minute must be a number above 0, not nan"),
        (["--per-minute", "0"], "--per-minute must be a number above 0, not 0"),
        (["--limit", "0"], "a limit of 0 leaves no case; give 1 or more"),
        (["--suite", ""], "the name of the suite is empty; choose one of convergebench suites"),
        (["--device", "tpu"], "--device must be auto, cpu or cuda, not tpu"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_run_that_cannot_mean_anything_does_nothing_and_says_why(
    cli: Cli, run: Words, tmp_path: Path, options: list[str], said: str
) -> None:
    ended = cli(*run(*options))
    assert ended.code == 2
    assert said in ended.sentence
    assert ended.out == ""
    assert not (tmp_path / "results").exists()


def test_debug_shows_the_traceback_wherever_it_stands_and_keeps_the_code(cli: Cli) -> None:
    for words in (["--debug", "run", "-m", "jpg"], ["run", "-m", "jpg", "--debug"]):
        ended = cli(*words)
        assert ended.code == 2
        assert "Traceback" in ended.err
        assert ended.err.splitlines()[-1] == "convergebench: there is no model 'jpg'; did you mean jpeg?"


def test_a_place_that_cannot_be_written_is_named(cli: Cli, run: Words, tmp_path: Path) -> None:
    cli(*run())
    (tmp_path / "file").touch()
    for command in ("export", "report"):
        ended = cli(command, "--output", tmp_path / "file" / "x", "--workspace", tmp_path / "results")
        assert ended.code == 1
        assert str(tmp_path / "file") in ended.sentence


def test_a_reader_that_goes_away_is_no_error_to_complain_of() -> None:
    program = subprocess.Popen(
        [sys.executable, "-m", "convergebench", "metrics", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert program.stdout is not None
    assert program.stderr is not None
    program.stdout.close()
    assert program.stderr.read() == b""
    assert program.wait(120) == 1


def test_nothing_is_coloured_where_there_is_no_terminal(program: Cli, run: Words, tmp_path: Path) -> None:
    for words in (run(), ["summary", "-w", tmp_path / "results"], ["models"], ["frobnicate"]):
        ended = program(*words)
        assert "\x1b" not in ended.out + ended.err
