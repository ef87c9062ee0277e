"""Results a second with the default set, through the harness: what a user gets who changes nothing.

    python benchmarks/default_set_gpu.py [--side 1024] [--results 6144] [--device cuda]

A result is one round of a chain: a forward picture with something drawn on it and a worn return. Their pixels
are left in batches, as by a local model; each batch is encoded and stored (in memory: the disk is not what is
measured), measured in the queues that a run uses, and recorded in the database. CLIP has the size of ViT-L/14
and random weights. Beside it the same on the processor, with fewer results, and without the networks; and how
far the values on the device are from the processor's.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import tempfile
import time
import traceback
import weakref
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import psutil
from gpu_use import busy_share, gpu_name
from metrics_speed import save_random_clip
from row import row

from convergebench.engine.measuring.items import ChainReturn, ForwardPicture, PicturePair
from convergebench.engine.measuring.measured_apart import MeasuredApart
from convergebench.engine.measuring.measurers import Measurers
from convergebench.engine.progress import NoProgress
from convergebench.garbage_collection import rare_garbage_collection
from convergebench.metrics import DEFAULT_MEASURED, MetricOptions, MetricSet, expand, missing_reason
from convergebench.picture import Picture
from convergebench.store import Workspace
from convergebench.store.pictures import PictureFolder
from convergebench.types import Digest, Pixels

SOURCES = 48
ROUNDS = 64 * SOURCES
"""More than a run measures at the same time. The memory of their pixels and files is used again: a virtual
machine gives free memory back to its host, from which it comes again page by page, and writing a file there
takes two to four times as long."""
BATCH = 8
"""Pictures that the editor leaves at once."""
STORING = max(1, 3 * (os.cpu_count() or 1) // 8)
"""Batches that are stored at a time: each is encoded by four threads, and written by eight. With more of them
an H200's 16 cores stored no more, and measured less."""
FREE_SECONDS = 60
"""In which a picture is measured and gone."""
MOST_DIFFERENT = 4
"""Metrics of which the difference is stated."""
LEARNED = ("lpips", "clip", "dists", "face_distance", "text_error")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--side", type=int, default=1024)
    parser.add_argument("--results", type=int, default=6144)
    parser.add_argument("--device", default="cuda")
    arguments = parser.parse_args()
    if arguments.device == "cuda" and gpu_name() is None:
        parser.exit(1, "there is no GPU here\n")
    if reason := missing_reason("lpips"):  # which the measures by region need, too
        parser.exit(1, f"{reason}\n")
    sources = made_sources(arguments.side)
    default = expand(DEFAULT_MEASURED)
    pixels = [name for name in default if name not in LEARNED]
    with tempfile.TemporaryDirectory() as folder:
        save_random_clip(Path(folder))
        few = max(32, arguments.results // 32)
        for title, names, device, count in (
            ("the default set", default, arguments.device, arguments.results),
            ("without LPIPS and CLIP as metrics", pixels, arguments.device, arguments.results),
            ("the same on the processor", pixels, "cpu", few),
        ):
            options = MetricOptions(clip=folder, device=device)
            rate = asyncio.run(harness(sources, names, options, count))
            row(f"{title}, {count:,} results of {arguments.side}²", rate.figure, rate.beside)
        for count, turns in ((8, 5), (64, 3), (256, 3)):
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
            row(
                f"{count} results without LPIPS and CLIP as metrics, loading included",
                f"{seconds[0]:.2f} s",
                f"on the processor {seconds[1]:.2f} s; medians of {turns} turns",
            )
        print_differences(sources, pixels, arguments.device)


def print_differences(sources: Sequence[Pixels], names: Sequence[str], device: str) -> None:
    """The largest difference of each metric between the device and the processor, over a few results."""
    found = []
    for where in (device, "cpu"):
        with tempfile.TemporaryDirectory() as folder, Workspace.create(Path(folder)) as workspace:
            pictures = [Picture.from_pixels(pixels) for pixels in sources[:4]]
            measurers = Measurers.of(MetricSet(names, MetricOptions(device=where)), workspace.pictures)
            wait_until_loaded(measurers)
            made = made_rounds(pictures, 16)
            asyncio.run(rounds(measurers, workspace, pictures, made, range(16)))
            found.append(measured_values(workspace))
    apart: dict[str, float] = {}
    for key, value in found[0].items():
        other = found[1].get(key)
        if value is not None and other is not None:
            apart[key[2]] = max(apart.get(key[2], 0.0), abs(value - other))
        elif value != other:
            print(f"  {key[2]} is missing on one of them")
    largest = sorted(((value, name) for name, value in apart.items()), reverse=True)
    row(
        "largest differences from the processor's values, 16 results",
        ", ".join(f"{name} {value:.1e}" for value, name in largest[:MOST_DIFFERENT]),
        f"of {len(largest)} values of a result; the others at most {largest[MOST_DIFFERENT][0]:.1e}",
    )


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


@dataclass(frozen=True)
class Rate:
    results: int
    seconds: float
    own_cpu_seconds: float
    """Of the process that encodes and stores, and on a processor measures."""
    measuring_cpu_seconds: float
    """Of those that measure on a GPU."""
    gpu_busy: Sequence[float]

    @property
    def figure(self) -> str:
        return f"{self.results / self.seconds:.0f} results/s"

    @property
    def beside(self) -> str:
        own, measuring = self.own_cpu_seconds, self.measuring_cpu_seconds
        busy = f", GPU busy {np.mean(self.gpu_busy):.0f} % of the time" if self.gpu_busy else ""
        each = [f"{1000 * seconds / self.results:.1f}" for seconds in (own, measuring)]
        return (
            f"{(own + measuring) / self.seconds:.1f} of {os.cpu_count()} cores busy{busy}; CPU a result "
            f"{each[0]} ms, and {each[1]} in measuring processes"
        )


async def harness(
    sources: Sequence[Pixels], names: Sequence[str], options: MetricOptions, count: int
) -> Rate:
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
        # prepares sources, and gets all memory
        first = min(ROUNDS, count)
        made = made_rounds(pictures, first)
        await rounds(measurers, workspace, pictures, made, range(first))
        processes = psutil.Process().children(recursive=True)
        own, measuring = cpu_seconds([psutil.Process()]), cpu_seconds(processes)
        with busy_share() as gpu_busy, rare_garbage_collection():  # as in a run
            started = time.perf_counter()
            await rounds(measurers, workspace, pictures, made, range(first, first + count))
            seconds = time.perf_counter() - started
            own, measuring = cpu_seconds([psutil.Process()]) - own, cpu_seconds(processes) - measuring
        return Rate(count, seconds, own, measuring, gpu_busy)


def cpu_seconds(processes: Sequence[psutil.Process]) -> float:
    times = [process.cpu_times() for process in processes]
    return sum(each.user + each.system for each in times)


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
        made = made_rounds(pictures, count)
        started = time.perf_counter()
        measurers = Measurers.of(MetricSet(names, options), workspace.pictures)
        with rare_garbage_collection():
            await rounds(measurers, workspace, pictures, made, range(count))
        return time.perf_counter() - started


@dataclass
class MadeRound:
    """Memory with a forward picture and a return."""

    forward: Pixels
    returned: Pixels
    shown: weakref.WeakSet[Picture] = field(default_factory=weakref.WeakSet)
    """The pictures in it that are still to be measured."""
    files: list[Path] = field(default_factory=list)
    """Of the last pictures in it."""

    async def become(self, number: int) -> None:
        """Other pictures, when none is shown; TimeoutError if one is kept."""
        async with asyncio.timeout(FREE_SECONDS):
            while self.shown:  # noqa: ASYNC110 - nobody is told when a picture is gone
                await asyncio.sleep(0.01)
        for pixels in (self.forward, self.returned):
            pixels[0, 0] = [number >> shift & 255 for shift in (0, 8, 16)]


async def rounds(
    measurers: Measurers,
    workspace: Workspace,
    sources: Sequence[Picture],
    made: Sequence[MadeRound],
    numbers: Sequence[int],
) -> None:
    """`made` as often as there are numbers for."""

    def failed(error: Exception) -> None:
        traceback.print_exception(error)
        os._exit(1)  # a queue that lost a batch would be waited for

    folder = workspace.pictures
    assert isinstance(folder, PictureFolder)
    queues = measurers.queues(workspace, NoProgress(), failed)
    threads = ThreadPoolExecutor(STORING)
    room = asyncio.Semaphore(2 * STORING)

    def stored(batch: Sequence[Pixels], instead_of: Sequence[Path]) -> list[Picture]:
        for path in instead_of:
            path.unlink()
        pictures = Picture.all_from_pixels(batch)
        for error in workspace.pictures.put_all(pictures):
            if error is not None:
                raise error
        return pictures

    async def batch(numbers: Sequence[int]) -> None:
        loop = asyncio.get_running_loop()
        async with room:
            these = [made[number % len(made)] for number in numbers]
            for each, number in zip(these, numbers, strict=True):
                await each.become(number)
            measured = [path for each in these for path in each.files]
            forwards = await loop.run_in_executor(threads, stored, [each.forward for each in these], measured)
            returns = await loop.run_in_executor(threads, stored, [each.returned for each in these], [])
            for each, number, forward, returned in zip(these, numbers, forwards, returns, strict=True):
                each.shown.update((forward, returned))
                each.files = [folder.path(picture.facts) for picture in (forward, returned)]
                source = sources[number % len(sources)]
                context = Digest(f"{number:064x}")
                await queues["regions"].offer(
                    ForwardPicture(source, source, forward, "object_chair", "local_object", context), {}
                )
                await queues["returns"].offer(PicturePair(source, returned), {})
                await queues["regions"].offer(
                    ChainReturn(source, source, forward, returned, "local_object", context, ()), {}
                )

    await asyncio.gather(*(batch(numbers[start : start + BATCH]) for start in range(0, len(numbers), BATCH)))
    for queue in queues.values():
        await queue.finish()


def made_rounds(sources: Sequence[Picture], count: int) -> list[MadeRound]:
    with ThreadPoolExecutor() as threads:
        pixels = [sources[number % len(sources)].pixels for number in range(count)]
        return list(threads.map(made_round, pixels, range(count)))


def made_round(source: Pixels, number: int) -> MadeRound:
    """A forward picture with a square on it, and a return that is a little lighter and noisier."""
    random = np.random.default_rng(number)
    side = len(source)
    forward = source.copy()
    left, top = random.integers(0, side // 2, 2)
    forward[top : top + side // 5, left : left + side // 5] = random.integers(0, 256, 3)
    noise = random.integers(0, 4, (side, 1, 3), dtype=np.uint8)
    return MadeRound(forward, np.minimum(source, 250) + noise)


if __name__ == "__main__":
    main()
