"""What the command line loads, and how long it takes to answer."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from operator import itemgetter
from typing import Any

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
MOST_TIMES_PYTHON = 12
"""What a command may take of the time in which Python itself starts and imports asyncio, on any machine."""
BARE = "import asyncio, json, os, sys; print(json.dumps({'cpu': sum(os.times()[:2])}), file=sys.stderr)"
PROBE = """
import atexit, json, os, sys
def tell():
    modules = sorted({name.partition(".")[0] for name in sys.modules})
    print(json.dumps({"modules": modules, "cpu": sum(os.times()[:2])}), file=sys.stderr)
atexit.register(tell)
from convergebench.cli import main
main()
"""


def used(program: str, *arguments: str) -> dict[str, Any]:
    """Modules and CPU seconds, the fewest of two."""
    command = [sys.executable, "-c", program, *arguments]
    runs = [subprocess.run(command, capture_output=True, text=True, check=True) for _ in range(2)]
    return min((json.loads(run.stderr.splitlines()[-1]) for run in runs), key=itemgetter("cpu"))


@pytest.fixture(scope="module")
def bare() -> float:
    return float(used(BARE)["cpu"])


@pytest.mark.parametrize(
    "arguments", [["--help"], ["run", "--help"], ["models"], ["models", "--json"]], ids=" ".join
)
def test_help_and_models_load_nothing_heavy_and_answer_at_once(arguments: list[str], bare: float) -> None:
    answer = used(PROBE, *arguments)
    assert HEAVY.isdisjoint(answer["modules"])
    assert answer["cpu"] < MOST_TIMES_PYTHON * bare


def test_importing_the_package_loads_nothing_heavy_until_it_is_used() -> None:
    code = "import sys, convergebench; print(*sys.modules); convergebench.run; print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    before, after = done.stdout.splitlines()
    assert HEAVY.isdisjoint(name.partition(".")[0] for name in before.split())
    assert after == "True"


@pytest.mark.parametrize("package", ["analysis", "engine", "report", "results", "scoring"])
def test_every_name_of_a_package_is_found_when_it_is_used(package: str) -> None:
    found = importlib.import_module(f"convergebench.{package}")
    assert all(getattr(found, name) is not None for name in found.__all__)
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = found.no_such_name
