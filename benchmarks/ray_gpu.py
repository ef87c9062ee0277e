"""A real GPU under Ray: whether its pictures and values are the local engine's, and what Ray costs.

    python benchmarks/ray_gpu.py

InstructPix2Pix in its real size with random weights, by both engines at batch 1 and 4, without metrics and
with some that share its GPU: locally in its process, on Ray in one of their own. The time is that from the
first step kept to the last, so neither Ray's start nor the model's loading counts. Without a GPU it says so.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from batched_editing import FULL, full_size_instruct_pix2pix, make_cases
from row import row

METRICS: tuple[tuple[str, ...], ...] = ((), ("psnr", "ssim", "lpips"))


def main() -> None:
    try:
        import torch
    except ImportError:
        sys.exit("needs torch")
    if not torch.cuda.is_available():
        sys.exit("no CUDA device here")
    import tiny_pipelines

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model = tiny_pipelines.save(full_size_instruct_pix2pix, folder / "model")
        cases = make_cases(folder, FULL)
        for batch in (1, 4):
            settings = f"steps={FULL.steps}&dtype={FULL.dtype}&batch={batch}"
            for metrics in METRICS:
                what = f"Ray, {FULL.edits} edits of a full-size pipeline at batch {batch}, "
                what += f"with {', '.join(metrics)} on its GPU" if metrics else "nothing measured"
                compare(what, f"diffusers:{model}?{settings}", cases, metrics)


def compare(what: str, spec: str, cases: list[Any], metrics: Sequence[str]) -> None:
    here, seconds_here = edited(spec, cases, metrics, on_ray=False)
    there, seconds_there = edited(spec, cases, metrics, on_ray=True)
    same = sum(here[0][step] == there[0].get(step) for step in here[0])
    both = [(value, there[1][what]) for what, value in here[1].items() if what in there[1]]
    apart = max((abs(one - other) for one, other in both), default=float("nan"))
    values = f", {len(both)} of {len(here[1])} values at most {apart:.1e} apart" if here[1] else ""
    row(
        what,
        f"{100 * (seconds_there / seconds_here - 1):+.1f} %",
        f"the local engine, {seconds_here:.2f} s; {same} of {len(here[0])} pictures the same{values}",
    )


def edited(spec: str, cases: list[Any], metrics: Sequence[str], *, on_ray: bool) -> tuple[Any, float]:
    """Digests by step and values by pair, and the seconds it took."""
    from convergebench.editors.registry import open_editor
    from convergebench.engine import Plan, RunLimits, run_plan
    from convergebench.engine.progress import NoProgress
    from convergebench.engine.ray.run import run_plan_on_ray
    from convergebench.metrics import MetricOptions, MetricSet
    from convergebench.protocols import round_trip
    from convergebench.store import Workspace

    class Clock(NoProgress):
        def __init__(self) -> None:
            self.kept: list[float] = []

        def step(self, *_: Any, **__: Any) -> None:
            self.kept.append(time.perf_counter())

    build = partial(open_editor, spec)
    plan = Plan("bench@0", round_trip(FULL.rounds), tuple(cases), (build(),), (0,))
    options, clock = MetricOptions(device="cuda"), Clock()
    with tempfile.TemporaryDirectory() as name, Workspace.create(Path(name) / "results") as workspace:
        common = {"run": workspace.start_run({}, "bench"), "limits": RunLimits(FULL.cases), "progress": clock}
        if on_ray:
            work = run_plan_on_ray(
                plan, workspace, builds=[build], metrics=metrics, options=options, **common
            )
        else:
            work = run_plan(plan, workspace, MetricSet(metrics, options), **common)
        outcome = asyncio.run(work)
        assert outcome.edits == FULL.edits, outcome
        return results(workspace), clock.kept[-1] - clock.kept[0]


def results(workspace: Any) -> tuple[dict[Any, str], dict[Any, float]]:
    steps = workspace.query(
        "SELECT t.case_fingerprint, s.position, s.picture FROM steps s "
        "JOIN trajectories t ON t.id = s.trajectory"
    )
    measured = workspace.query("SELECT reference, picture, metric, value FROM measurements")
    return {(case, at): made for case, at, made in steps}, {tuple(row[:3]): row[3] for row in measured}


if __name__ == "__main__":
    main()
