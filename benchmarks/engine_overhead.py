"""What the engine costs a step: an editor that costs nothing, on 64 × 64 pictures, store included.

100 and 1,000 trajectories × 6 steps with and without metrics, and 10,000 × 20: memory must not grow with
their number. Each in a process of its own, so that its peak memory is its own.
"""

from __future__ import annotations

import asyncio
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from row import row

SIZES = ((100, 3, ""), (1000, 3, ""), (1000, 3, "psnr,ssim"), (10_000, 10, ""))
"""Trajectories, rounds and metrics."""


class Free:
    """Writes a counter into one pixel: next to no work, but every step has a picture of its own to keep."""

    def __init__(self) -> None:
        import numpy as np

        from convergebench.picture import Picture
        from convergebench.types import EditorFacts

        self.facts = EditorFacts("free", "1", price_usd=0.0)
        self._pixels = np.random.default_rng(0).integers(0, 256, (64, 64, 3), np.uint8)
        self.source = Picture.from_pixels(self._pixels.copy())
        self._count = 0

    async def edit(self, request):  # type: ignore[no-untyped-def]
        from convergebench.picture import Picture
        from convergebench.types import Edited

        self._count += 1
        self._pixels[0, 0] = self._count % 251, self._count // 251 % 251, self._count // 251**2
        return Edited(Picture.from_pixels(self._pixels.copy()), cost_usd=0.0)

    async def close(self) -> None:
        pass


def measure(trajectories: int, rounds: int, metrics: list[str]) -> dict[str, float]:
    from convergebench.engine import Plan, RunLimits, run_plan
    from convergebench.metrics import MetricSet
    from convergebench.protocols import round_trip
    from convergebench.store import Workspace
    from convergebench.types import Case, SourcePicture

    editor = Free()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "source.png"
        path.write_bytes(editor.source.encoded)
        pictures = (SourcePicture("source", path, editor.source.digest),)
        numbers = range(trajectories)
        cases = tuple(Case(f"case{n}", pictures, "Add it.", "Remove it.", "pair") for n in numbers)
        plan = Plan("bench@0", round_trip(rounds), cases, (editor,), (0,))
        with Workspace.create(Path(folder) / "results") as workspace:
            run = workspace.start_run({}, "bench")
            wall, cpu = time.perf_counter(), time.process_time()
            outcome = asyncio.run(
                run_plan(plan, workspace, MetricSet(metrics), run=run, limits=RunLimits(32))
            )
            wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    assert outcome.complete == trajectories
    return {
        "steps": outcome.edits,
        "wall_ms": wall * 1000 / outcome.edits,
        "cpu_ms": cpu * 1000 / outcome.edits,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def in_own_process(trajectories: int, rounds: int, metrics: str) -> dict[str, float]:
    command = [sys.executable, __file__, str(trajectories), str(rounds), metrics]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout))


def main() -> None:
    told = []
    for trajectories, rounds, metrics in SIZES:
        found = in_own_process(trajectories, rounds, metrics)
        size = f"{trajectories:,} × {2 * rounds}{f' with {metrics}' if metrics else ''}"
        print(
            f"{size:26} {found['wall_ms']:.2f} ms a step ({found['cpu_ms']:.2f} ms CPU), "
            f"peak {found['peak_mb']:.0f} MB",
            flush=True,
        )
        told.append(f"{size}: {found['wall_ms']:.2f} ms, {found['peak_mb']:.0f} MB")
    row(
        "engine and store, a step on 64² pictures, and peak memory",
        told[-1],
        "; ".join(told[:-1]) + " (trajectories × steps)",
    )


if __name__ == "__main__":
    if len(sys.argv) == 4:
        trajectories, rounds, metrics = sys.argv[1:]
        print(
            json.dumps(measure(int(trajectories), int(rounds), [name for name in metrics.split(",") if name]))
        )
    else:
        main()
