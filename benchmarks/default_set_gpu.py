"""Results a second with the default set, through the harness: what a user gets who changes nothing.

    python benchmarks/default_set_gpu.py [--side 1024] [--results 1024] [--device cuda]

A result is one round of a chain: a forward picture with something drawn on it and a worn return. Both are
encoded and stored (in memory: the disk is not what is measured), measured in the queues that a run uses, and
recorded in the database. CLIP has the size of ViT-L/14 and random weights. Beside it the same on the
processor, with fewer results, and without the networks.
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

import numpy as np
from metrics_speed import save_random_clip

from convergebench.engine.measuring.items import ChainReturn, ForwardPicture, PicturePair
from convergebench.engine.measuring.measurement_queue import GPU_WORKERS
from convergebench.engine.measuring.measurers import Measurers
from convergebench.engine.progress import NoProgress
from convergebench.metrics import DEFAULT_MEASURED, MetricOptions, MetricSet, expand
from convergebench.picture import Picture
from convergebench.store import Workspace
from convergebench.types import Digest, Pixels

SOURCES = 16
WAITING = 128
LEARNED = ("lpips", "clip", "dists", "face_distance", "text_error")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--side", type=int, default=1024)
    parser.add_argument("--results", type=int, default=1024)
    parser.add_argument("--device", default="cuda")
    arguments = parser.parse_args()
    sources = made_sources(arguments.side)
    default = expand(DEFAULT_MEASURED)
    pixels = [name for name in default if name not in LEARNED]
    with tempfile.TemporaryDirectory() as folder:
        save_random_clip(Path(folder))
        few = max(32, arguments.results // 16)
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


def made_sources(side: int) -> list[Pixels]:
    random = np.random.default_rng(7)
    x, y = np.meshgrid(np.linspace(0, 6, side), np.linspace(0, 6, side))

    def source(seed: int) -> Pixels:
        waves = [np.sin(x * (1 + seed % 5) + c) * np.cos(y * (2 + seed % 3) + seed) for c in range(3)]
        texture = random.normal(0, 6, (side, side, 3))
        return np.clip(np.stack(waves, 2) * 90 + 128 + texture, 0, 255).astype(np.uint8)

    return [source(seed) for seed in range(SOURCES)]


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
        await rounds(metric_set, workspace, pictures, 2 * SOURCES, first=0)  # loads, and prepares sources
        cpu, started = time.process_time(), time.perf_counter()
        await rounds(metric_set, workspace, pictures, count, first=2 * SOURCES)
        seconds = time.perf_counter() - started
        return count / seconds, (time.process_time() - cpu) / seconds


async def rounds(
    metric_set: MetricSet, workspace: Workspace, sources: Sequence[Picture], count: int, first: int
) -> None:
    def failed(error: Exception) -> None:
        raise error

    measurers = Measurers.of(metric_set, workspace.pictures)
    queues = measurers.queues(workspace, NoProgress(), failed)
    cores = ThreadPoolExecutor(max(1, (os.cpu_count() or 1) - GPU_WORKERS))
    room = asyncio.Semaphore(WAITING)

    async def one(number: int) -> None:
        source = sources[number % len(sources)]
        async with room:
            loop = asyncio.get_running_loop()
            forward, returned = await loop.run_in_executor(cores, edited, workspace, source, number)
            context = Digest(f"{number:064x}")
            await queues["regions"].offer(
                ForwardPicture(source, source, forward, "object_chair", "local_object", context), {}
            )
            await queues["returns"].offer(PicturePair(source, returned), {})
            await queues["regions"].offer(
                ChainReturn(source, source, forward, returned, "local_object", context, ()), {}
            )

    await asyncio.gather(*(one(number) for number in range(first, first + count)))
    for queue in queues.values():
        await queue.finish()


def edited(workspace: Workspace, source: Picture, number: int) -> tuple[Picture, Picture]:
    """A forward picture with a disc on it, and a return that is a little lighter and noisier; both stored."""
    random = np.random.default_rng(number)
    pixels = source.pixels
    side = len(pixels)
    forward = pixels.copy()
    left, top = random.integers(0, side // 2, 2)
    forward[top : top + side // 5, left : left + side // 5] = random.integers(0, 256, 3)
    noise = random.integers(0, 4, (side, 1, 3), dtype=np.uint8)
    returned = np.minimum(pixels, 250) + noise
    made = Picture.from_pixels(forward), Picture.from_pixels(returned)
    for picture in made:
        workspace.pictures.put(picture)
    return made


if __name__ == "__main__":
    main()
