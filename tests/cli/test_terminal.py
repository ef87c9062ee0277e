"""What a person sees: the command line in a real pseudo-terminal."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import signal
import struct
import termios
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from convergebench.run_progress.terminal import ProgressBars
from convergebench.types import PictureFacts, Step
from forked_python import ForkedPython

Words = Callable[..., list[object]]
Cli = Callable[..., Any]
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def shown(words: list[object], columns: int, interrupt_after: str = "") -> tuple[int, str]:
    """The exit code and all that the terminal got."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "NO_COLOR")}
    process = ForkedPython(
        ["-m", "convergebench", *words],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**environment, "TERM": "xterm-256color"},
    )
    os.close(theirs)
    watchdog = threading.Timer(120, process.kill)
    watchdog.start()
    got = ""
    while True:
        try:
            data = os.read(ours, 65536)
        except OSError:  # Linux says so when the other end has closed
            break
        got += data.decode(errors="replace")
        if interrupt_after and interrupt_after in got:
            process.send_signal(signal.SIGINT)
            interrupt_after = ""
    os.close(ours)
    watchdog.cancel()
    return process.wait(60), got


def lines(text: str) -> list[str]:
    """A bar is drawn over the one before, which starts with a carriage return."""
    return re.split(r"[\r\n]+", ESCAPES.sub("", text))


@pytest.mark.parametrize("columns", [80])
def test_a_run_draws_bars_that_fit_and_leaves_the_ranking(run: Words, columns: int) -> None:
    code, text = shown(run(model="noise,contrast?percent=3.25", rounds=4), columns)
    assert code == 0
    bars = [line for line in lines(text) if "━" in line]
    assert any("24/24" in line for line in bars)
    assert any("edits/s" in line for line in bars)
    assert max(len(line) for line in bars) <= columns
    assert "SSIM @ R4" in text.rpartition("\x1b[?25h")[2], "the ranking stands below, with the cursor back"


def test_tables_fit_and_no_name_is_cut(cli: Cli, run: Words, pictures: Path, tmp_path: Path) -> None:
    cli(*run("--metric", "ms_ssim", model="classical,jpeg"))
    ranking = ["classical", "jpeg", "SSIM @ R2"]
    wanted = (
        (["summary", "-w", tmp_path / "results"], 120, ranking),
        (["summary", "-w", tmp_path / "results"], 80, ranking),
        (["models"], 80, ["classical", "desaturate", "takes colour out"]),
        (["metrics"], 80, ["lpips_vgg_full", "higher"]),
        (["suites", f"folder:{pictures}"], 80, ["anna/horizontal_flip", "lake/rotate_90_cw"]),
    )
    for words, columns, names in wanted:
        code, text = shown(words, columns)
        assert code == 0
        assert max(len(line) for line in lines(text)) <= columns
        assert "…" not in text
        for name in names:
            assert name in "\n".join(lines(text)), f"{name} in {words}"


def test_forty_columns_lose_columns_and_no_number(run: Words, tmp_path: Path) -> None:
    results = tmp_path / "results"
    shown(run(model="blur,jpeg"), 80)
    where = ["-w", results]
    for words, whole in (
        (["summary", *where], ["blur", "SSIM"]),
        (["compare", "blur", "jpeg", *where], ["difference", "verdict"]),
        (["worst", *where], ["jpeg", "fell at"]),
        (["models"], ["classical-reencode", "model, free, ready:"]),
        (["suites"], ["converge-small", "version 1, pictures 12, cases 153"]),
        (["metrics"], ["registered_area", "quality, higher is better"]),
        (["doctor", *where], ["-- suite gedit@1", "gedit?data=PATH"]),
        (["workspace", "list", *where], ["started", "jpeg"]),
        (
            ["check", "-m", "jpeg", "--baseline", f"{results}?model=blur", *where],
            ["ssim", "verdict"],
        ),
    ):
        _, text = shown(words, 40)
        table = [line for line in lines(text) if " against " not in line]
        assert max(len(line) for line in table) <= 40, words
        for part in whole:
            assert part in text, words
        assert "…" not in text.replace("=…", ""), words  # a key to be filled in


def test_failures_are_counted_beside_the_bar(run: Words) -> None:
    code, text = shown(run(model="python:operator:truth"), 100)  # a function that no editor can be
    assert code == 3
    assert any("3 failed" in line for line in lines(text) if "━" in line)


def test_ctrl_c_says_that_it_is_stopping(run: Words) -> None:
    code, text = shown(run(model="noise", rounds=400), 80, interrupt_after="edits/s")
    assert code == 130
    assert "Stopping: " in text
    assert "Rerun the command to continue" in text
    assert "Traceback" not in text


def test_json_in_a_terminal_has_no_bars_around_it(run: Words) -> None:
    code, text = shown(run("--json"), 80)
    assert code == 0
    assert text.startswith("{")
    assert "━" not in text


def test_the_cost_of_what_is_replayed_is_not_counted_again(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "100")
    step = Step(0, "forward", 1, "", 0, (), PictureFacts("ab", 8, 8, "image/png"), 0.1, 0.25, 1)
    with ProgressBars() as bars:
        bars.planned("paid", 4)
        bars.step("paid", step, replayed=True)
        bars.step("paid", step, replayed=False)
    assert "$0.25" in capsys.readouterr().err


def test_notes_are_wrapped_by_the_columns_that_letters_take(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from rich.cells import cell_len

    from convergebench.cli.options import print_note

    monkeypatch.setenv("COLUMNS", "40")
    print_note("我的模型 by round 4: noise ×53.3, contrast −70 %, darker by 19.6 L*, no shift")
    printed = capsys.readouterr().out.splitlines()
    assert all(line.startswith("  ") and cell_len(line) <= 40 for line in printed)
    assert " ".join(" ".join(printed).split()).endswith("darker by 19.6 L*, no shift")
