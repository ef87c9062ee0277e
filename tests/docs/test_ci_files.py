"""The workflows and the Dockerfile use commands that exist."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml

from convergebench.cli.main import app
from docs.test_commands import parse

ROOT = Path(__file__).parents[2]
WORKFLOW = ROOT / ".github" / "workflows" / "model-check.yml"
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def commands() -> list[str]:
    jobs = [job for path in WORKFLOWS for job in yaml.safe_load(path.read_text())["jobs"].values()]
    lines = [step["run"] for job in jobs for step in job["steps"] if "run" in step]
    lines += re.findall(r"^RUN (.*)$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    return [line.split(" || ")[0] for line in lines if line.startswith("convergebench ")]


@pytest.mark.parametrize("line", commands())
def test_a_command_takes_the_options_that_are_given_to_it(line: str) -> None:
    command: Any = typer.main.get_command(app)
    words = shlex.split(line)[1:]
    parse(command, "convergebench", words)


@pytest.mark.parametrize(("code", "goes_on"), [(0, True), (3, True), (1, False), (130, False)])
def test_a_run_with_a_refusal_goes_on_to_the_check(tmp_path: Path, code: int, goes_on: bool) -> None:
    """`classical` refuses one of the twelve cases."""
    program = tmp_path / "convergebench"
    program.write_text(f"#!/bin/sh\nexit {code}\n")
    program.chmod(0o755)
    (line,) = re.findall(r"- run: (convergebench run .+)", WORKFLOW.read_text())
    path = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    assert (subprocess.run(["bash", "-e", "-c", line], env=path).returncode == 0) == goes_on


def steps(dockerfile: str) -> dict[str, list[str]]:
    """The commands of each target, in order."""
    found: dict[str, list[str]] = {}
    for line in dockerfile.replace("\\\n", " ").splitlines():
        word, _, rest = line.partition(" ")
        if word == "FROM":
            base, _, target = rest.partition(" AS ")
            commands = found[target] = list(found.get(base, ()))
        elif word == "RUN":
            commands.append(rest.removeprefix("cd /src && ").replace(" --no-cache-dir", ""))
        else:
            assert word in ("#", "", "WORKDIR", "COPY", "ENTRYPOINT"), line
    return found


def test_readme_image_and_workflow_install_by_the_same_steps() -> None:
    install = "pip install --constraint constraints.txt "
    found = steps((ROOT / "Dockerfile").read_text())
    assert found == {
        "base": [],
        "cuda": [f"{install}'.[all]'"],
        "cpu": [f"{install}'.[view]'", "convergebench weights pull"],
    }
    readme, workflow = (ROOT / "README.md").read_text(), WORKFLOW.read_text()
    assert f"\n{install}'.[view]' " in readme and "'.[all]'" in readme
    assert [line for line in found["cpu"] if f"- run: {line}\n" not in workflow] == []


def test_the_baseline_of_the_workflow_is_made_by_the_documented_commands() -> None:
    guide, workflow = (ROOT / "docs" / "checking.md").read_text(), WORKFLOW.read_text()
    for line in re.findall(r"^#   (.+)$", workflow, re.MULTILINE):
        assert f"\n{line}\n" in guide
    (made, compared) = re.findall(r"convergebench run (.+)", workflow)
    assert compared.startswith(made)
    assert "--baseline baseline " in workflow and "-o baseline\n" in workflow
