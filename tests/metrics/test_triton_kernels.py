"""The kernels for GPUs, run in Triton's interpreter and compiled, neither of which needs a GPU."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

HERE = Path(__file__).parent
KERNELS = HERE.parents[1] / "src" / "convergebench" / "metrics" / "_gpu"
needs_triton = pytest.mark.skipif(
    find_spec("triton") is None, reason="Triton is not installed: pip install triton"
)


def run_python(*arguments: object, **environment: str) -> None:
    """In a process of its own: Triton reads the environment when it is imported."""
    done = subprocess.run(
        [sys.executable, *map(str, arguments)],
        env={**os.environ, **environment},
        cwd=HERE.parents[1],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@needs_triton
def test_every_kernel_gives_what_torch_gives() -> None:
    options = ("-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--disable-warnings")
    run_python("-m", "pytest", *options, HERE / "triton_kernels", TRITON_INTERPRET="1")


@needs_triton
def test_every_kernel_compiles_for_a_gpu(tmp_path: Path) -> None:
    path = os.pathsep.join([str(HERE.parent), os.environ.get("PYTHONPATH", "")])
    script = HERE / "triton_kernels" / "compiled.py"
    run_python(script, TRITON_CACHE_DIR=str(tmp_path), TRITON_INTERPRET="0", PYTHONPATH=path)
    compiled = {file.stem for file in tmp_path.glob("*/*.cubin")}
    assert compiled == {name for path in KERNELS.glob("*_kernel.py") for name in launched_in(path)}


def launched_in(path: Path) -> list[str]:
    return re.findall(r"^ +(_\w+)\[.*\]\(", path.read_text(encoding="utf-8"), re.MULTILINE)


def test_every_kernel_has_such_tests() -> None:
    kernels = {path.name.removesuffix("_kernel.py") for path in KERNELS.glob("*_kernel.py")}
    assert kernels == {path.stem.removeprefix("test_") for path in HERE.glob("triton_kernels/test_*.py")}
