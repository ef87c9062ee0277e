"""A package of somebody else's, installed beside this one, and the command line that finds it."""

from __future__ import annotations

import json
import os
import subprocess
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

import convergebench
from cli.conftest import Ran
from convergebench.picture import Picture
from forked_python import run as run_python
from made_pictures import textured

SOURCE = Path(convergebench.__file__).parents[1]
RUN_COMMANDS = Path(__file__).parent / "run_commands.py"

Install = Callable[[str, str, dict[str, str]], None]
Python = Callable[..., str]
Interpreter = Callable[..., subprocess.CompletedProcess[str]]
Commands = Callable[..., list[Ran]]


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Where packages are installed."""
    (tmp_path / "site").mkdir()
    return tmp_path / "site"


@pytest.fixture
def install(site: Path) -> Install:
    """Writes a package's files as pip would, with one entry point."""

    def write(group: str, target: str, files: dict[str, str]) -> None:
        for name, text in files.items():
            path = site / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(textwrap.dedent(text))
        info = site / "extra-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: extra\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[{group}]\nextra = {target}\n")

    return write


@pytest.fixture
def interpreter() -> Interpreter:
    return run_python


@pytest.fixture
def python(site: Path, tmp_path: Path, interpreter: Interpreter) -> Python:
    """Runs Python in tmp_path, with the installed package; gives its output."""

    def run(*words: object) -> str:
        paths = {
            "PYTHONPATH": os.pathsep.join((str(site), str(SOURCE))),
            "CONVERGEBENCH_CACHE": str(tmp_path / "cache"),
        }
        return str(interpreter(words, env={**os.environ, **paths}, cwd=tmp_path, check=True).stdout)

    return run


@pytest.fixture
def commands(python: Python) -> Commands:
    """Runs command lines one after the other in one process."""

    def run(*lines: tuple[object, ...]) -> list[Ran]:
        words = json.dumps([[str(word) for word in line] for line in lines])
        return [Ran(*result) for result in json.loads(python(RUN_COMMANDS, words))]

    return run


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    folder = tmp_path / "pictures"
    folder.mkdir()
    for number, name in enumerate(("anna", "lake")):
        (folder / f"{name}.png").write_bytes(Picture.from_pixels(textured(seed=number)).encoded)
    return folder


@pytest.fixture
def run_words(pictures: Path) -> Callable[..., tuple[object, ...]]:
    """The words of a small run."""

    def words(*more: object, model: str = "jpeg", metric: str = "psnr") -> tuple[object, ...]:
        start = ("run", "-m", model, "--images", pictures, "--rounds", 2, "--metric", metric, "--limit", 2)
        return (*start, *more)

    return words
