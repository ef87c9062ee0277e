"""How fast pictures are judged: 200 samples, two questions each, every reply and verdict kept on the disk.

    python benchmarks/judging_speed.py [--rounds 3]

The judge answers on this machine in a process of its own, at once or after half a second, and speaks HTTP
with the pictures in the request. The judging process is fresh each time, so that its peak memory is its own.
A sample is one edit judged by both rubrics of GEdit-Bench: source and result for one, the result alone for
the other, sent as they are. Every judgement is durable before it counts. Starting the judge, which is mostly
the import of its SDK, happens once however many are judged, and is shown apart.

The ideal time is that of 12.5 calls one after the other for each worker. No worker makes half a call, so
6.5 s is the least that can be had.

EvalScope's figures are those of version 1.14.1 doing the same number of calls on another machine: they were
not measured here and now.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from row import row as performance_row

if TYPE_CHECKING:
    from convergebench.judges import Judge

SAMPLES = 200
RUBRICS = ("gedit_sc", "gedit_pq")
CALLS = SAMPLES * len(RUBRICS)
WORKERS = 32
TESTS = Path(__file__).parents[1] / "tests"


@dataclass(frozen=True)
class Setting:
    title: str
    width: int
    height: int
    after_seconds: float
    elsewhere: str
    """What EvalScope took."""
    goal: str

    @property
    def ideal_seconds(self) -> float:
        return CALLS * self.after_seconds / WORKERS


SETTINGS = (
    Setting("instant, 64 × 64", 64, 64, 0.0, "86–113 samples/s", "258 samples/s"),
    Setting("instant, 400 × 656", 400, 656, 0.0, "18–36 samples/s", "54 samples/s"),
    Setting("0.5 s, 64 × 64", 64, 64, 0.5, "10.4–12.2 s", "6.88 s"),
)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    print(f"{SAMPLES} samples × {len(RUBRICS)} questions, {WORKERS} at a time; the median of {rounds}")
    for setting in SETTINGS:
        with tempfile.TemporaryDirectory() as folder:
            keep_pictures(Path(folder), setting)
            with judge_process(setting.after_seconds) as judge:
                rows = [judging_process(Path(folder), judge, turn) for turn in range(rounds)]
        show(setting, {key: median(row[key] for row in rows) for key in rows[0]})


def show(setting: Setting, row: dict[str, float]) -> None:
    print(f"\n{setting.title}")
    print(f"  {SAMPLES / row['wall']:.0f} samples/s, {row['wall']:.2f} s", end="")
    if ideal := setting.ideal_seconds:
        print(f", {row['wall'] / ideal:.2f} × the ideal {ideal:.2f} s", end="")
    print(f"; {row['cpu'] * 1000 / CALLS:.2f} ms of CPU a call")
    print(f"  peak {row['peak_mb']:.0f} MB; started in {row['start']:.2f} s")
    ideal_beside = f", {row['wall'] / ideal:.2f} × the ideal" if ideal else ""
    performance_row(
        f"judging {SAMPLES} samples × {len(RUBRICS)} calls, {setting.title}, {WORKERS} at a time",
        f"{SAMPLES / row['wall']:.0f} samples/s, {row['wall']:.2f} s{ideal_beside}, {row['peak_mb']:.0f} MB",
        f"EvalScope elsewhere: {setting.elsewhere}; an SDK import of {row['start']:.1f} s not counted",
    )
    print(f"  goal: {setting.goal}, 300 MB; EvalScope elsewhere: {setting.elsewhere}, 518–812 MB")


def keep_pictures(folder: Path, setting: Setting) -> None:
    """Every sample's source and result, alike but not the same, with the grain of a photograph."""
    import numpy as np

    from convergebench.picture import Picture
    from convergebench.store import Workspace

    rng = np.random.default_rng(0)
    across, down = np.meshgrid(np.arange(setting.width), np.arange(setting.height))
    smooth = 90 + 60 * np.sin(across / 40)[..., None] + [20, 40, 60] * np.cos(down / 30)[..., None]
    subjects = []
    with Workspace.create(folder) as workspace:
        for _ in range(SAMPLES):
            pair = []
            for _ in ("source", "result"):
                grain = rng.normal(0, 6, smooth.shape)
                picture = Picture.from_pixels((smooth + grain).clip(0, 255).astype(np.uint8))
                workspace.pictures.put(picture)
                pair.append(picture.digest)
            subjects.append(pair)
    (folder / "subjects.json").write_text(json.dumps(subjects))


@contextmanager
def judge_process(after_seconds: float) -> Iterator[str]:
    command = [sys.executable, __file__, "--serve", str(after_seconds)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None and process.stdout is not None
        yield process.stdout.readline().strip()
        process.stdin.close()


def serve(after_seconds: float) -> None:
    """Answer until standard input ends."""
    sys.path.insert(0, str(TESTS))
    from servers.judge import Answer, Asked, JudgeServer, completion, graded

    def answer(number: int, asked: Asked) -> Answer:
        server.asked.clear()  # or it would keep every picture
        return replace(completion(graded(asked)), after_seconds=after_seconds)

    with JudgeServer(answer) as server:
        print(server.name, flush=True)
        sys.stdin.read()


def judging_process(folder: Path, judge: str, turn: int) -> dict[str, float]:
    # Another temperature is another judge: nothing is taken from the turn before.
    command = [sys.executable, __file__, "--judge", str(folder), f"{judge}&temperature=0.{turn}"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return dict(json.loads(done.stdout))


class TimedStart:
    """A judge that says how long it took to start."""

    def __init__(self, judge: Judge) -> None:
        self.facts = judge.facts
        self.ask, self.close = judge.ask, judge.close
        self._judge = judge

    async def start(self) -> None:
        wall, cpu = time.perf_counter(), time.process_time()
        await self._judge.start()
        self.start_seconds = time.perf_counter() - wall
        self.start_cpu_seconds = time.process_time() - cpu


def judge(folder: Path, judge: str) -> dict[str, Any]:
    from convergebench.engine import RunLimits
    from convergebench.engine.judging.judge_tasks import JudgingTask, judge_tasks
    from convergebench.judges import Subject, open_judge, rubric
    from convergebench.store import Workspace

    timed = TimedStart(open_judge(judge))
    tasks = [
        JudgingTask(
            rubric(name), Subject({"source": (source,), "result": (result,)}, {"instruction": "Add a hat."})
        )
        for source, result in json.loads((folder / "subjects.json").read_text())
        for name in RUBRICS
    ]
    with Workspace.create(folder) as workspace:
        run = workspace.start_run({}, "bench")
        wall, cpu = time.perf_counter(), time.process_time()
        limits = RunLimits(judge_concurrency=WORKERS)
        done = asyncio.run(judge_tasks(tasks, timed, workspace, run=run, limits=limits))
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    assert done.ok == len(tasks) == done.calls
    return {
        "start": timed.start_seconds,
        "wall": wall - timed.start_seconds,
        "cpu": cpu - timed.start_cpu_seconds,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        serve(float(sys.argv[2]))
    elif sys.argv[1:2] == ["--judge"]:
        print(json.dumps(judge(Path(sys.argv[2]), sys.argv[3])))
    else:
        main()
