"""How long a `run` takes that finds its 10,000 steps finished, from the start of the program to the table.

The first run makes them; it is not timed. Two editors that cost little on drawn pictures, whose returns are
measured by PSNR and SSIM.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from row import row

MODELS, CASES, ROUNDS = 2, 25, 100
REPEATS = 3


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        command = [
            sys.executable, "-m", "convergebench", "run", "--suite", "converge-drawn", "-m", "identity,jpeg",
            "--limit", str(CASES), "--rounds", str(ROUNDS), "--metric", "psnr,ssim", "--yes",
            "-w", str(Path(folder) / "results"),
        ]  # fmt: skip
        first = _seconds(command)
        print(f"made in {first[0]:.1f} s")
        runs = [_seconds(command) for _ in range(REPEATS)]
    wall, cpu = (median(figures) for figures in zip(*runs, strict=True))
    steps = MODELS * CASES * ROUNDS * 2
    row(
        f"`run` with {steps:,} finished steps, table included",
        f"{wall:.1f} s, {cpu:.1f} s of CPU",
        f"making and measuring them took {first[0]:.0f} s",
    )


def _seconds(command: list[str]) -> tuple[float, float]:
    """On the clock, and of CPU."""
    before, started = _cpu_of_children(), time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    return time.perf_counter() - started, _cpu_of_children() - before


def _cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
