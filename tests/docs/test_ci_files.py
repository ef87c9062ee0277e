"""The workflow and the Dockerfile use commands that exist."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml

from convergebench.cli.main import app

ROOT = Path(__file__).parents[2]
WORKFLOW = ROOT / ".github" / "workflows" / "model-check.yml"


def commands() -> list[str]:
    steps = yaml.safe_load(WORKFLOW.read_text())["jobs"]["check"]["steps"]
    lines = [step["run"] for step in steps if "run" in step]
    lines += re.findall(r"^RUN (.*)$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    return [line for line in lines if line.startswith("convergebench ")]


@pytest.mark.parametrize("line", commands())
def test_a_command_takes_the_options_that_are_given_to_it(line: str) -> None:
    command: Any = typer.main.get_command(app)
    words = shlex.split(line)[1:]
    with command.make_context("convergebench", words) as context:
        name, sub, rest = command.resolve_command(context, [*context.protected_args, *context.args])
        assert name == words[0]
        with sub.make_context(name, list(rest), parent=context):
            pass


def test_the_image_installs_as_the_readme_does() -> None:
    readme = (ROOT / "README.md").read_text()
    assert "pip install ." in readme and "pip install --no-cache-dir" in (ROOT / "Dockerfile").read_text()
    assert "convergebench weights pull" in (ROOT / "Dockerfile").read_text()
