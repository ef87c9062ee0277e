"""Results a second with the default set, through the harness: what a user gets who changes nothing.

    python benchmarks/default_set_gpu.py [--side 1024] [--results 3072] [--device cuda]

A result is one round of a chain: a forward picture with something drawn on it and a worn return. Their pixels
are in memory, as a local model leaves them, in batches; each batch is encoded and stored (in memory: the disk
is not what is measured), measured in the queues that a run uses, and recorded in the database. CLIP has the
size of ViT-L/14 and random weights. Beside it the same on the processor, with fewer results, and without the
networks; and how far the values on the device are from the processor's.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np
import psutil
from metrics_speed import save_random_clip

from convergebench.engine.measuring.items import ChainReturn, ForwardPicture, PicturePair
from convergebench.engine.measuring.measured_apart import MeasuredApart
from convergebench.engine.measuring.measurers import Measurers
from convergebench.engine.progress import NoProgress
from convergebench.metrics import DEFAULT_MEASURED, MetricOptions, MetricSet, expand
from convergebench.picture import Picture
from convergebench.store import Workspace
from convergebench.types import Digest, Pixels

SOURCES = 48
BATCH = 8
"""Pictures that the editor leaves at once."""
STORING = max(1, (os.cpu_count() or 1) // 2)
"""Batches that are stored at a time: each is encoded by four threads, and written by eight."""
LEARNED = ("lpips", "clip", "dists", "face_distance", "text_error")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--side", type=int, default=1024)
    parser.add_argument("--results", type=int, default=3072)
    parser.add_argument("--device", default="cuda")
    arguments = parser.parse_args()
    touch_memory(arguments.results * 4 * 3 * arguments.side**2)
    sources = made_sources(arguments.side)
    default = expand(DEFAULT_MEASURED)
    pixels = [name for name in default if name not in LEARNED]
    with tempfile.TemporaryDirectory() as folder:
        save_random_clip(Path(folder))
        few = max(32, arguments.results // 32)
        for title, names, device, count in (
            ("default set", default, arguments.device, arguments.results),
            ("without networks", pixels, arguments.device, arguments.results),
            ("without networks", pixels, "cpu", few),
        ):
            options = MetricOptions(clip=folder, device=device)
            rate, cores = asyncio.run(harness(sources, names, options, count))
            print(
                f"{title:18} {device:5} {rate:8.1f} results a second, {cores:.1f} of {os.cpu_count()} cores"
            )
        for count, turns in ((8, 5), (256, 1)):
            seconds = np.median(
                [
                    [
                        asyncio.run(from_nothing(sources, pixels, MetricOptions(device=device), count))
                        for device in (arguments.device, "cpu")
                    ]
                    for _ in range(turns)
                ],
                axis=0,
            )
            print(
                f"{count} results, loading included: {seconds[0]:.2f} s, on the processor {seconds[1]:.2f} s"
            )
        print_differences(sources, pixels, arguments.device)


def touch_memory(size: int) -> None:
    """A virtual machine gets memory from its host as it is first used, and files that are written there take
    four times as long."""
    parts = -(-size // 2**30)
    with ThreadPoolExecutor() as threads:
        list(threads.map(lambda _: np.ones(2**30, np.uint8), range(parts)))


def print_differences(sources: Sequence[Pixels], names: Sequence[str], device: str) -> None:
    """The largest difference of each metric between the device and the processor, over a few results."""
    found = []
    for where in (device, "cpu"):
        with tempfile.TemporaryDirectory() as folder, Workspace.create(Path(folder)) as workspace:
            pictures = [Picture.from_pixels(pixels) for pixels in sources[:4]]
            measurers = Measurers.of(MetricSet(names, MetricOptions(device=where)), workspace.pictures)
            wait_until_loaded(measurers)
            asyncio.run(rounds(measurers, workspace, pictures, made_rounds(pictures, 16, first=0)))
            found.append(measured_values(workspace))
    apart: dict[str, float] = {}
    for key, value in found[0].items():
        other = found[1].get(key)
        if value is not None and other is not None:
            apart[key[2]] = max(apart.get(key[2], 0.0), abs(value - other))
        elif value != other:
            print(f"  {key[2]} is missing on one of them")
    print("largest differences from the processor's values")
    print("  " + ", ".join(f"{name} {apart[name]:.1e}" for name in names if name in apart))


def measured_values(workspace: Workspace) -> dict[tuple[str, str, str], float | None]:
    """By reference or chain, picture and metric."""
    rows = workspace.query("SELECT reference, picture, metric, value FROM measurements")
    return {(row[0], row[1], row[2]): row[3] for row in rows}


def made_sources(side: int) -> list[Pixels]:
    x, y = np.meshgrid(np.linspace(0, 6, side), np.linspace(0, 6, side))

    def source(seed: int) -> Pixels:
        waves = [np.sin(x * (1 + seed % 5) + c) * np.cos(y * (2 + seed % 3) + seed) for c in range(3)]
        texture = np.random.default_rng(seed).normal(0, 6, (side, side, 3))
        return np.clip(np.stack(waves, 2) * 90 + 128 + texture, 0, 255).astype(np.uint8)

    with ThreadPoolExecutor() as threads:
        return list(threads.map(source, range(SOURCES)))


async def harness(
    sources: Sequence[Pixels], names: Sequence[str], options: MetricOptions, count: int
) -> tuple[float, float]:
    memory = Path("/dev/shm")
    with (
        tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder,
        Workspace.create(Path(folder) / "results") as workspace,
    ):
        metric_set = MetricSet(names, options)
        pictures = [Picture.from_pixels(pixels) for pixels in sources]
        for picture in pictures:
            workspace.pictures.put(picture)
        measurers = Measurers.of(metric_set, workspace.pictures)
        wait_until_loaded(measurers)
        # prepares sources, and gets the memory that pictures pass through
        await rounds(measurers, workspace, pictures, made_rounds(pictures, 4 * SOURCES, first=0))
        made = made_rounds(pictures, count, first=4 * SOURCES)
        cpu, started = cpu_seconds(), time.perf_counter()
        await rounds(measurers, workspace, pictures, made)
        seconds = time.perf_counter() - started
        return count / seconds, (cpu_seconds() - cpu) / seconds


def cpu_seconds() -> float:
    """Of this process and those that measure for it, ended ones included."""
    program = psutil.Process()
    ended = program.cpu_times()
    times = [each.cpu_times() for each in (program, *program.children(recursive=True))]
    return sum(each.user + each.system for each in times) + ended.children_user + ended.children_system


def wait_until_loaded(measurers: Measurers) -> None:
    for measurer in measurers.by_kind.values():
        if isinstance(measurer, MeasuredApart):
            measurer.processes.wait_until_loaded()


async def from_nothing(
    sources: Sequence[Pixels], names: Sequence[str], options: MetricOptions, count: int
) -> float:
    """Seconds for so many results, loading included."""
    with tempfile.TemporaryDirectory() as folder, Workspace.create(Path(folder)) as workspace:
        pictures = [Picture.from_pixels(pixels) for pixels in sources]
        made = made_rounds(pictures, count, first=0)
        started = time.perf_counter()
        measurers = Measurers.of(MetricSet(names, options), workspace.pictures)
        await rounds(measurers, workspace, pictures, made)
        return time.perf_counter() - started


class MadeRound(NamedTuple):
    number: int
    forward: Pixels
    returned: Pixels


async def rounds(
    measurers: Measurers, workspace: Workspace, sources: Sequence[Picture], made: Sequence[MadeRound]
) -> None:
    def failed(error: Exception) -> None:
        raise error

    queues = measurers.queues(workspace, NoProgress(), failed)
    threads = ThreadPoolExecutor(STORING)
    room = asyncio.Semaphore(2 * STORING)

    def stored(batch: Sequence[Pixels]) -> list[Picture]:
        pictures = Picture.all_from_pixels(batch)
        for error in workspace.pictures.put_all(pictures):
            if error is not None:
                raise error
        return pictures

    async def batch(made: Sequence[MadeRound]) -> None:
        loop = asyncio.get_running_loop()
        async with room:
            forwards = await loop.run_in_executor(threads, stored, [each.forward for each in made])
            returns = await loop.run_in_executor(threads, stored, [each.returned for each in made])
            for each, forward, returned in zip(made, forwards, returns, strict=True):
                source = sources[each.number % len(sources)]
                context = Digest(f"{each.number:064x}")
                await queues["regions"].offer(
                    ForwardPicture(source, source, forward, "object_chair", "local_object", context), {}
                )
                await queues["returns"].offer(PicturePair(source, returned), {})
                await queues["regions"].offer(
                    ChainReturn(source, source, forward, returned, "local_object", context, ()), {}
                )

    await asyncio.gather(*(batch(made[start : start + BATCH]) for start in range(0, len(made), BATCH)))
    for queue in queues.values():
        await queue.finish()


def made_rounds(sources: Sequence[Picture], count: int, first: int) -> list[MadeRound]:
    with ThreadPoolExecutor() as threads:
        numbers = range(first, first + count)
        return list(
            threads.map(lambda number: made_round(sources[number % len(sources)].pixels, number), numbers)
        )


def made_round(source: Pixels, number: int) -> MadeRound:
    """A forward picture with a square on it, and a return that is a little lighter and noisier."""
    random = np.random.default_rng(number)
    side = len(source)
    forward = source.copy()
    left, top = random.integers(0, side // 2, 2)
    forward[top : top + side // 5, left : left + side // 5] = random.integers(0, 256, 3)
    noise = random.integers(0, 4, (side, 1, 3), dtype=np.uint8)
    return MadeRound(number, forward, np.minimum(source, 250) + noise)


if __name__ == "__main__":
    main()
