"""How near a run comes to the time that the model's own latency takes: 66 cases × 10 rounds, all at once,
against a server in a process of its own that answers after a fixed 0.25 s. Once through plain HTTP (the xai
editor) and once through the OpenAI SDK, so that what the harness costs and what an SDK costs stand apart.

No chain can be faster than its edits one after the other and a last metric pass: that is the critical path.
A first edit, which imports the SDK and opens a connection, is made before the clock starts. The wall time is
printed beside it, and the time of one edit after the other, each followed by a metric pass,
as the predecessor works.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import json
import multiprocessing
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from row import row

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

LATENCY_SECONDS = 0.25
SIDE = 64
METRICS = ("psnr", "ssim")
GOAL = 1.10


@dataclass(frozen=True)
class Load:
    cases: int
    rounds: int

    @property
    def edits_a_case(self) -> int:
        return 2 * self.rounds

    @property
    def edits(self) -> int:
        return self.cases * self.edits_a_case


def replies(number: int) -> list[bytes]:
    """As many different pictures, as the server sends them: equal ones would be stored but once."""
    from convergebench.picture import encode_png
    from made_pictures import textured

    pixels = textured(SIDE, SIDE, seed=1)
    bodies = []
    for count in range(number):
        pixels[0, 0] = count % 251, count // 251 % 251, count // 251**2
        picture = base64.b64encode(encode_png(pixels)).decode()
        bodies.append(json.dumps({"created": 0, "data": [{"b64_json": picture}]}).encode())
    return bodies


def serve(number: int, ready: Connection) -> None:
    """Answer so many edits, each as late as the last; tell the port when the pictures are made."""
    from aiohttp import web

    waiting = iter(replies(number))

    async def edit(request: web.Request) -> web.Response:
        await request.read()
        await asyncio.sleep(LATENCY_SECONDS)
        return web.Response(body=next(waiting), content_type="application/json")

    async def forever() -> None:
        application = web.Application(client_max_size=64 << 20)
        application.add_routes([web.post("/v1/images/edits", edit)])
        runner = web.AppRunner(application, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        ready.send(runner.addresses[0][1])
        await asyncio.Event().wait()

    asyncio.run(forever())


@contextmanager
def server(load: Load) -> Iterator[str]:
    """Its address, while the block lasts."""
    here, there = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(
        target=serve, args=(load.edits + 1, there), daemon=True
    )
    process.start()
    there.close()  # so that a server that dies is not waited for
    try:
        yield f"http://127.0.0.1:{here.recv()}/v1"
    finally:
        process.terminate()
        process.join()


def make_cases(folder: Path, load: Load) -> tuple[Any, ...]:
    from convergebench.picture import Picture
    from convergebench.types import Case, SourcePicture
    from made_pictures import textured

    cases = []
    for number in range(load.cases):
        picture = Picture.from_pixels(textured(SIDE, SIDE, seed=number))
        path = folder / f"{number}.png"
        path.write_bytes(picture.encoded)
        source = SourcePicture(str(number), path, picture.digest)
        cases.append(Case(f"case{number}", (source,), "Add a red ball.", "Remove the red ball.", "ball"))
    return tuple(cases)


def metric_pass_seconds(metric_set: Any) -> float:
    """Of one picture; the median of many, on a picture that the metrics have not seen."""
    from convergebench.picture import Picture
    from made_pictures import textured

    source, result = (Picture.from_pixels(textured(SIDE, SIDE, seed=seed)) for seed in (1000, 1001))

    def timed() -> float:
        started = time.perf_counter()
        metric_set.measure([(source, result)])
        return time.perf_counter() - started

    return statistics.median(timed() for _ in range(20))


def wall_seconds(provider: str, address: str, load: Load, metric_set: Any, folder: Path) -> float:
    from convergebench.editors import open_editor
    from convergebench.engine import Plan, RunLimits, run_plan
    from convergebench.protocols import round_trip
    from convergebench.store import Workspace

    cases = make_cases(folder, load)
    editor = open_editor(f"{provider}:late?base_url={address}")
    plan = Plan("bench@0", round_trip(load.rounds), cases, (editor,), (0,))
    with Workspace.create(folder / "results") as workspace:
        run = workspace.start_run({}, "bench")
        warm_up(provider, address, cases[0])
        started = time.perf_counter()
        outcome = asyncio.run(run_plan(plan, workspace, metric_set, run=run, limits=RunLimits(load.cases)))
        seconds = time.perf_counter() - started
    assert (outcome.complete, outcome.edits) == (load.cases, load.edits), outcome
    return seconds


def warm_up(provider: str, address: str, case: Any) -> None:
    """One edit by an editor of its own: what is imported for it stays."""
    from convergebench.editors import open_editor
    from convergebench.picture import Picture
    from convergebench.types import EditRequest

    async def once() -> None:
        editor = open_editor(f"{provider}:late?base_url={address}")
        await editor.edit(EditRequest((Picture.from_file(case.source.path),), case.forward, 0))
        await editor.close()

    asyncio.run(once())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=66)
    parser.add_argument("--rounds", type=int, default=10)
    load = Load(**vars(parser.parse_args()))
    from convergebench.metrics import MetricSet

    metric_set = MetricSet(METRICS)
    one_pass = metric_pass_seconds(metric_set)
    critical = load.edits_a_case * LATENCY_SECONDS + one_pass
    one_by_one = load.edits * (LATENCY_SECONDS + one_pass)
    print(f"{load.cases} cases × {load.edits_a_case} edits, {SIDE} × {SIDE}, all cases at once")
    print(f"critical path: {critical:8.2f} s ({load.edits_a_case} × {LATENCY_SECONDS} s + {one_pass:.4f} s)")
    os.environ.setdefault("XAI_API_KEY", "for-the-loopback-server")
    told = []
    for provider, how in (("xai", "plain HTTP"), ("server", "OpenAI SDK")):
        with server(load) as address, tempfile.TemporaryDirectory() as folder:
            wall = wall_seconds(provider, address, load, metric_set, Path(folder))
        print(f"{how}:    {wall:8.2f} s, {wall / critical:.2f} × the critical path (goal {GOAL:.2f})")
        told.append(f"{how} {wall:.2f} s ({wall / critical:.2f} ×)")
    print(f"one at a time: {one_by_one:8.2f} s, {one_by_one / wall:.1f} × the last")
    row(
        f"{load.cases} cases × {load.edits_a_case} edits at a fixed {LATENCY_SECONDS} s, all at once",
        ", ".join(told),
        f"critical path {critical:.2f} s; one at a time {one_by_one:.0f} s",
    )


if __name__ == "__main__":
    main()
