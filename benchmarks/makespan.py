"""How near a run comes to its critical path at 1, 8, 64 and 512 trajectories at a time.

The editor waits a fixed time and does nothing else, so that what is over the critical path is the harness
alone: engine, store and metrics, on 64 × 64 pictures. The last time with a price, which is set aside on the
disk before each edit.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from pathlib import Path

from engine_overhead import Free
from row import row

AT_ONCE = (1, 8, 64, 512)
LATENCY_SECONDS = 0.25
PRICE_USD = 0.04
ROUNDS = 10
METRICS = ("psnr", "ssim")


class Late(Free):
    """Answers after a fixed time."""

    async def edit(self, request):  # type: ignore[no-untyped-def]
        await asyncio.sleep(LATENCY_SECONDS)
        return await super().edit(request)


class Priced(Late):
    def __init__(self) -> None:
        from convergebench.types import EditorFacts

        super().__init__()
        self.facts = EditorFacts("priced", "1", price_usd=PRICE_USD)

    async def edit(self, request):  # type: ignore[no-untyped-def]
        from dataclasses import replace

        return replace(await super().edit(request), cost_usd=PRICE_USD)


def wall_seconds(at_once: int, rounds: int, folder: Path, editor: Late) -> float:
    from convergebench.engine import Plan, RunLimits, run_plan
    from convergebench.metrics import MetricSet
    from convergebench.protocols import round_trip
    from convergebench.store import Workspace
    from convergebench.types import Case, SourcePicture

    path = folder / "source.png"
    path.write_bytes(editor.source.encoded)
    source = SourcePicture("source", path, editor.source.digest)
    cases = tuple(
        Case(f"case{number}", (source,), "Add it.", "Remove it.", "pair") for number in range(at_once)
    )
    plan = Plan("bench@0", round_trip(rounds), cases, (editor,), (0,))
    metric_set = MetricSet(METRICS)
    with Workspace.create(Path(tempfile.mkdtemp(dir=folder))) as workspace:
        run = workspace.start_run({}, "bench")
        started = time.perf_counter()
        outcome = asyncio.run(run_plan(plan, workspace, metric_set, run=run, limits=RunLimits(at_once)))
        seconds = time.perf_counter() - started
    assert outcome.complete == at_once
    return seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    rounds = parser.parse_args().rounds
    critical = 2 * rounds * LATENCY_SECONDS
    ratios = []
    # Nothing is removed before the end: ext4 takes long to create files while many have just been deleted.
    with tempfile.TemporaryDirectory() as folder:
        wall_seconds(1, 1, Path(folder), Late())  # imports
        for at_once in AT_ONCE:
            wall = wall_seconds(at_once, rounds, Path(folder), Late())
            ratios.append(wall / critical)
            print(f"{at_once:4} at once: {wall:6.2f} s, {wall / critical:.2f} × {critical:.2f} s")
        priced = wall_seconds(AT_ONCE[-1], rounds, Path(folder), Priced()) / critical
        print(f"{AT_ONCE[-1]:4} at once, with a price: {priced:.2f} ×")
    row(
        f"{2 * rounds} edits of {LATENCY_SECONDS} s, {', '.join(map(str, AT_ONCE))} trajectories at a time",
        ", ".join(f"{ratio:.2f}" for ratio in ratios)
        + f" × the critical path; the last with a price {priced:.2f} ×",
        f"the critical path is {critical:.1f} s; the last one by one {AT_ONCE[-1] * critical:,.0f} s",
    )


if __name__ == "__main__":
    main()
