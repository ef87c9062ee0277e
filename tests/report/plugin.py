"""Another package that is installed beside this one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import convergebench


def install(folder: Path, group: str, name: str, code: str) -> None:
    """As pip would: a module, and metadata that names its member of the entry point group."""
    (folder / "extra_package.py").write_text(code)
    metadata = folder / "extra_package-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: extra-package\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(f"[{group}]\nextra = extra_package:{name}\n")


def run_with(folder: Path, script: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """A Python program in which the package of this folder is installed."""
    source = Path(convergebench.__file__).parents[1]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(folder), str(source)])}
    return subprocess.run(
        [sys.executable, "-c", script, *map(str, arguments)], env=environment, capture_output=True, text=True
    )
