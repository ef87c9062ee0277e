"""Statistics and reports on a million measurements: CPU seconds and peak memory of each command.

The workspace is made by the store itself: ten models on a thousand cases of a hundred pictures, twenty
rounds, five metrics. It holds no pictures, so nothing that shows them is timed here.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from row import row

from convergebench.store import Enrolment, Workspace
from convergebench.types import Case, EditorFacts, Measurement, PictureFacts, SourcePicture, Step

ROUNDS = 20
PICTURES = 100
METRICS = ("psnr", "ssim", "ms_ssim", "lpips", "delta_e")
COMMANDS = (
    ("summary", "--json"),
    ("compare", "model0", "model9", "--json"),
    ("worst", "--json"),
    ("export", "--output", "OUT"),
)


def digest(*parts: object) -> str:
    return "-".join(map(str, parts)).encode().hex().ljust(64, "0")[:64]


def versions() -> dict[str, str]:
    from convergebench.metrics import MetricSet

    return {facts.name: facts.version for facts in MetricSet((*METRICS[:-1], "colour")).facts}


def cases_of(number: int) -> Iterator[Case]:
    for count in range(number):
        source = f"picture{count % PICTURES}"
        picture = SourcePicture(source, Path(f"{source}.png"), digest(source), "scene")
        yield Case(
            f"{source}/pair{count}", (picture,), "Add a cup.", "Remove the cup.", f"pair{count}", "objects"
        )


def fill(workspace: Workspace, models: int, cases: int) -> int:
    """How many measurements it came to."""
    random = np.random.default_rng(0)
    run = workspace.start_run({}, "bench")
    version = versions()
    made = 0
    for model in range(models):
        editor = EditorFacts(f"model{model}", "1", price_usd=0.01)
        wanted = [Enrolment("round_trip", "bench@0", editor, case, 0, ROUNDS) for case in cases_of(cases)]
        for trajectory, enrolment in zip(workspace.enrol(wanted, fresh=False), wanted, strict=True):
            rate = random.gamma(2 + model / 3, 0.02)
            made += fill_one(workspace, trajectory, run, enrolment.case, version, rate)
    return made


def fill_one(
    workspace: Workspace, trajectory: int, run: int, case: Case, version: dict[str, str], rate: float
) -> int:
    before, rows = case.source.digest, []
    for position in range(2 * ROUNDS):
        role, instruction = (("forward", case.forward), ("backward", case.backward or ""))[position % 2]
        after = digest(trajectory, position)
        facts = PictureFacts(after, 512, 512, "image/png")
        step = Step(position, role, position // 2 + 1, instruction, 1, (before,), facts, 1.0, 0.01, 1)
        last = workspace.record_step(trajectory, run, step)
        before = after
        if role == "backward":
            share = float(np.exp(-rate * (position // 2 + 1)))
            values = (20 + 20 * share, share, share**0.5, 1 - share, 30 * (1 - share))
            rows += [
                (case.source.digest, after, Measurement(name, version[name], value))
                for name, value in zip(METRICS, values, strict=True)
            ]
    workspace.record_measurements(rows)
    last.result()
    return len(rows)


def timed(folder: Path, words: tuple[str, ...]) -> tuple[float, float, float]:
    """CPU seconds, seconds on the clock, and peak megabytes of one command."""
    out = str(folder / "out")
    command = [sys.executable, "-m", "convergebench", *(out if word == "OUT" else word for word in words)]
    started = time.perf_counter()
    process = subprocess.Popen([*command, "--workspace", str(folder)], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    assert os.waitstatus_to_exitcode(status) == 0, command
    return usage.ru_utime + usage.ru_stime, time.perf_counter() - started, usage.ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=int, default=10)
    parser.add_argument("--cases", type=int, default=1000)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "results"
        started = time.perf_counter()
        with Workspace.create(folder) as workspace:
            made = fill(workspace, wanted.models, wanted.cases)
        size = (folder / "convergebench.sqlite").stat().st_size / 1e6
        print(f"{made:,} measurements, {size:.0f} MB, made in {time.perf_counter() - started:.0f} s")
        figures = {words[0]: timed(folder, words) for words in COMMANDS}
    for command, (seconds, wall, peak) in figures.items():
        print(f"{command:8} {seconds:6.1f} s of CPU, {wall:.1f} s on the clock, peak {peak:.0f} MB")
    _, wall, peak = figures["summary"]
    row(
        f"commands on {made:,} measurements, CPU seconds",
        ", ".join(f"`{command}` {seconds:.1f} s" for command, (seconds, *_) in figures.items()),
        f"`summary` {wall:.1f} s on the clock, peak {peak:.0f} MB, of all commands "
        f"{max(one for *_, one in figures.values()):.0f} MB; the database is {size:.0f} MB",
    )


if __name__ == "__main__":
    main()
