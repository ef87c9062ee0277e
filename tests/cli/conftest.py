"""The command line as people use it: called in this process, or as a program of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from convergebench.cli.main import code_of
from convergebench.picture import Picture
from forked_python import run as run_python
from made_pictures import textured
from measured_by_hand import measure_by_hand

PROGRAM = ["-m", "convergebench"]


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output, which must be JSON and nothing else."""

        def refuse(constant: str) -> None:
            raise AssertionError(f"{constant} is not JSON")

        return json.loads(self.out, parse_constant=refuse)

    @property
    def sentence(self) -> str:
        """The one line that says what is wrong."""
        (line,) = self.err.splitlines()
        assert line.startswith("convergebench: ")
        return line.removeprefix("convergebench: ")


Cli = Callable[..., Ran]


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    """Runs a command in this process."""

    def run(*words: object) -> Ran:
        capsys.readouterr()
        code = code_of([str(word) for word in words])
        return Ran(code, *capsys.readouterr())

    return run


@pytest.fixture
def program() -> Cli:
    """Runs a command as a program of its own."""

    def run(*words: object, preexec_fn: Callable[[], None] | None = None) -> Ran:
        command = [*PROGRAM, *(str(word) for word in words)]
        if preexec_fn is None:
            done = run_python(command)
        else:
            done = subprocess.run(
                [sys.executable, *command], capture_output=True, text=True, timeout=120, preexec_fn=preexec_fn
            )
        return Ran(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    """A folder with two pictures."""
    folder = tmp_path / "pictures"
    folder.mkdir()
    for number, name in enumerate(("anna", "lake")):
        (folder / f"{name}.png").write_bytes(Picture.from_pixels(textured(seed=number)).encoded)
    return folder


@pytest.fixture
def run(pictures: Path, tmp_path: Path) -> Callable[..., list[object]]:
    """The words of a small, fast run in tmp_path/results."""

    def words(*more: object, model: str = "jpeg", rounds: int = 2) -> list[object]:
        return [
            "run", "--model", model, "--suite", f"folder:{pictures}", "--rounds", rounds, "--limit", 3,
            "--metric", "psnr,ssim", "--workspace", tmp_path / "results", *more,
        ]  # fmt: skip

    return words


EDITORS = """
def brighter(image, instruction, seed):
    return image.point(lambda value: min(value + 1, 255))
def darker(image, instruction, seed):
    return image.point(lambda value: max(value - 9, 0))
"""


@pytest.fixture
def seen(cli: Cli, run: Callable[..., list[object]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace of two editors of which the second undoes more, and SSIM is in favour of the first."""
    (tmp_path / "shades.py").write_text(EDITORS)
    monkeypatch.syspath_prepend(tmp_path)
    assert cli(*run("--limit", 6, model="python:shades:brighter,python:shades:darker")).code == 0
    undid = {"python:shades:brighter": 0.2, "python:shades:darker": 0.9}
    measure_by_hand(tmp_path / "results", lambda model: {"undid": undid[model], "kept": 1.0})
    return tmp_path / "results"
