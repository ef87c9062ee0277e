"""What the command line loads, and how long it takes to answer."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys

import pytest

HEAVY = {
    "torch",
    "transformers",
    "pandas",
    "matplotlib",
    "numpy",
    "cv2",
    "PIL",
    "onnxruntime",
    "onnx",
    "scipy",
}
CPU_SECONDS = 0.8
PROBE = """
import atexit, json, os, sys
def tell():
    modules = sorted({name.partition(".")[0] for name in sys.modules})
    print(json.dumps({"modules": modules, "cpu": sum(os.times()[:2])}), file=sys.stderr)
atexit.register(tell)
from convergebench.cli import main
main()
"""


def answered(arguments: list[str]) -> dict[str, object]:
    command = [sys.executable, "-c", PROBE, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    used: dict[str, object] = json.loads(done.stderr.splitlines()[-1])
    return used


@pytest.mark.parametrize(
    "arguments", [["--help"], ["run", "--help"], ["models"], ["models", "--json"]], ids=" ".join
)
def test_help_and_models_load_nothing_heavy_and_answer_at_once(arguments: list[str]) -> None:
    answers = [answered(arguments) for _ in range(5)]
    assert HEAVY.isdisjoint(answers[0]["modules"])  # type: ignore[arg-type]
    assert min(answer["cpu"] for answer in answers) < CPU_SECONDS  # type: ignore[type-var, operator]


def test_importing_the_package_loads_nothing_heavy_until_it_is_used() -> None:
    code = "import sys, convergebench; print(*sys.modules); convergebench.run; print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    before, after = done.stdout.splitlines()
    assert HEAVY.isdisjoint(name.partition(".")[0] for name in before.split())
    assert after == "True"


@pytest.mark.parametrize("package", ["analysis", "report", "results"])
def test_every_name_of_a_package_is_found_when_it_is_used(package: str) -> None:
    found = importlib.import_module(f"convergebench.{package}")
    assert all(getattr(found, name) is not None for name in found.__all__)
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = found.no_such_name
