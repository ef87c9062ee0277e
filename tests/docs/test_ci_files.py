"""The workflows and the Dockerfile use commands that exist."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml

from convergebench.cli.main import app
from docs.test_commands import parse

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def commands() -> list[str]:
    jobs = [job for path in WORKFLOWS for job in yaml.safe_load(path.read_text())["jobs"].values()]
    lines = [step["run"] for job in jobs for step in job["steps"] if "run" in step]
    lines += re.findall(r"^RUN (.*)$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    return [line for line in lines if line.startswith("convergebench ")]


@pytest.mark.parametrize("line", commands())
def test_a_command_takes_the_options_that_are_given_to_it(line: str) -> None:
    command: Any = typer.main.get_command(app)
    words = shlex.split(line)[1:]
    parse(command, "convergebench", words)


def test_the_image_installs_as_the_readme_does() -> None:
    readme = (ROOT / "README.md").read_text()
    assert "pip install ." in readme and "pip install --no-cache-dir" in (ROOT / "Dockerfile").read_text()
    assert "convergebench weights pull" in (ROOT / "Dockerfile").read_text()
