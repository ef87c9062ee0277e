"""Results a second on a GPU: psnr, ssim, lpips and clip of pictures that are in memory, PNG files written
meanwhile; beside torchmetrics, and beside the usual way of one pair at a time.

    python benchmarks/metrics_gpu.py [--side 1024] [--results 6144] [--device cuda]

The usual way decodes both files with Pillow for every comparison, takes scikit-image for SSIM, and runs the
source through each network again, on the GPU. torchmetrics gets the pixels in batches on the device, with
CLIP by transformers in bfloat16 beside it; it encodes and stores nothing. CLIP has the size of ViT-L/14 and
random weights, which changes no speed. Ours goes through the harness: encoded and stored on the processor's
cores (in /dev/shm: the disk is not what is measured), measured in the queue that a run uses, and recorded in
the database.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from gpu_use import busy_share, gpu_name
from metrics_speed import pillow_pixels, pillow_png, pillow_squared, save_random_clip
from row import row

from convergebench.engine.measuring.items import PicturePair
from convergebench.engine.measuring.measurement_queue import GPU_WORKERS as WORKERS
from convergebench.engine.measuring.measurement_queue import MeasurementQueue
from convergebench.engine.measuring.pair_measurer import PairMeasurer
from convergebench.engine.progress import NoProgress
from convergebench.metrics import MetricOptions, MetricSet, load
from convergebench.metrics._lpips_torch import TorchFeatures
from convergebench.picture import Picture
from convergebench.store import Workspace
from convergebench.types import Pixels

METRICS = ("psnr", "ssim", "lpips", "clip")
SOURCES = 32
WAITING = 256


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--side", type=int, default=1024)
    parser.add_argument("--results", type=int, default=6144)
    parser.add_argument("--device", default="cuda")
    arguments = parser.parse_args()
    if arguments.device == "cuda" and gpu_name() is None:
        parser.exit(1, "there is no GPU here\n")
    sources, results = made_pictures(arguments.side, arguments.results)
    with tempfile.TemporaryDirectory() as folder:
        save_random_clip(Path(folder))
        options = MetricOptions(clip=folder, device=arguments.device)
        ours, use = through_the_harness(sources, results, options)
        check_values(sources, results, options)
        print_stages(sources, results, options)
        others = torchmetrics_way(sources, results, Path(folder), arguments.device)
        usual = the_usual_way(sources[0], results[:8], Path(folder), arguments.device)
    row(
        f"{', '.join(METRICS)}, {arguments.results:,} results of {arguments.side}²",
        f"{ours:.0f} results/s",
        f"{use}; in the same run the usual way {usual:.1f}/s ({ours / usual:.0f} ×), "
        f"torchmetrics, which stores nothing, {others:.0f}/s ({ours / others:.1f} ×)",
    )


def made_pictures(side: int, count: int) -> tuple[list[Pixels], list[tuple[int, Pixels]]]:
    """Sources with shapes and texture; results with noise of their own, each with its source's place."""
    random = np.random.default_rng(7)
    x, y = np.meshgrid(np.linspace(0, 6, side), np.linspace(0, 6, side))

    def source(seed: int) -> Pixels:
        waves = [np.sin(x * (1 + seed % 5) + c) * np.cos(y * (2 + seed % 3) + seed) for c in range(3)]
        texture = random.normal(0, 6, (side, side, 3))
        return np.clip(np.stack(waves, 2) * 90 + 128 + texture, 0, 255).astype(np.uint8)

    sources = [source(seed) for seed in range(min(SOURCES, count))]
    noise = random.integers(0, 5, (side * 2, side, 3), dtype=np.uint8)

    def result(number: int) -> tuple[int, Pixels]:
        shift = number * 131 % side
        return number % len(sources), sources[number % len(sources)] // 2 + 60 + noise[shift : shift + side]

    with ThreadPoolExecutor() as threads:
        return sources, list(threads.map(result, range(count)))


def check_values(
    sources: Sequence[Pixels], results: Sequence[tuple[int, Pixels]], options: MetricOptions
) -> None:
    """How far the values are from those of the processor; without values no speed is worth telling."""
    names = (*METRICS, "ms_ssim")
    pairs = [
        (Picture.from_pixels(sources[place]), Picture.from_pixels(pixels)) for place, pixels in results[:6]
    ]
    pairs += [(pairs[0][0], pairs[1][0])]
    on_gpu = MetricSet(names, options).measure(pairs)
    on_cpu = MetricSet(names, MetricOptions(clip=options.clip, device="cpu")).measure(pairs)
    differences = []
    for name in names:
        missing = on_gpu[0][name].missing or on_cpu[0][name].missing
        if name in METRICS and on_gpu[0][name].value is None:
            raise SystemExit(f"{name} has no value on the device: {missing}")
        apart = [
            abs((a[name].value or 0) - (b[name].value or 0)) for a, b in zip(on_gpu, on_cpu, strict=True)
        ]
        differences.append(f"{name} missing: {missing}" if missing else f"{name} {max(apart):.1e}")
    row(
        "largest differences from the processor's values, 7 results",
        ", ".join(differences),
        "CLIP in half precision",
    )


def print_stages(
    sources: Sequence[Pixels], results: Sequence[tuple[int, Pixels]], options: MetricOptions
) -> None:
    """Measuring alone, nothing encoded or stored; metric by metric, then together."""
    batch = 64
    pictures = [Picture.from_pixels(pixels) for pixels in sources]
    pairs = [(pictures[place], Picture.from_pixels(pixels)) for place, pixels in results[: 4 * batch]]
    print("\nmeasuring alone, milliseconds a result (copies to the device in each)")
    for names in (*((name,) for name in (*METRICS, "ms_ssim")), METRICS):
        metric_set = MetricSet(names, options)
        metric_set.measure(pairs[:batch])
        started = time.perf_counter()
        with ThreadPoolExecutor(2) as threads:
            chunks = [pairs[start : start + batch] for start in range(0, len(pairs), batch)] * 2
            list(threads.map(metric_set.measure, chunks))
        seconds = time.perf_counter() - started
        print(f"  {' + '.join(names):28}{1000 * seconds / (2 * len(pairs)):8.3f}")


def through_the_harness(
    sources: Sequence[Pixels], results: Sequence[tuple[int, Pixels]], options: MetricOptions
) -> tuple[float, str]:
    """Results a second, from pixels to files and rows, and what was busy meanwhile."""
    memory = Path("/dev/shm")
    with (
        tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder,
        Workspace.create(Path(folder) / "results") as workspace,
    ):
        metric_set = MetricSet(METRICS, options)
        pictures = [Picture.from_pixels(pixels) for pixels in sources]
        pairs = [(picture, picture) for picture in pictures] * 2
        with ThreadPoolExecutor(WORKERS) as threads:  # loads, and gets the memory that pictures pass through
            list(threads.map(metric_set.measure, [pairs] * 2 * WORKERS))
        with busy_share() as busy:
            cpu = time.process_time()
            seconds = asyncio.run(measured(metric_set, workspace, pictures, results))
            cores = (time.process_time() - cpu) / seconds
    rate = len(results) / seconds
    use = f"{cores:.1f} of {os.cpu_count()} cores busy"
    return rate, f"{use}, GPU busy {np.mean(busy):.0f} % of the time" if busy else use


async def measured(
    metric_set: MetricSet,
    workspace: Workspace,
    sources: Sequence[Picture],
    results: Sequence[tuple[int, Pixels]],
) -> float:
    def failed(error: Exception) -> None:
        raise error

    line = MeasurementQueue(
        PairMeasurer(metric_set),
        workspace,
        NoProgress(),
        failed,
        WORKERS,
        metric_set.batch_size,
        fills=lambda: True,
    )
    # Those that bring pictures to the device need cores too: where all are taken, the device waits.
    cores = ThreadPoolExecutor(max(1, (os.cpu_count() or 1) - WORKERS))
    room = asyncio.Semaphore(WAITING)

    def stored(pixels: Pixels) -> Picture:
        picture = Picture.from_pixels(pixels)
        workspace.pictures.put(picture)
        return picture

    async def one(place: int, pixels: Pixels) -> None:
        async with room:
            picture = await asyncio.get_running_loop().run_in_executor(cores, stored, pixels)
            await line.offer(PicturePair(sources[place], picture), {})

    started = time.perf_counter()
    await asyncio.gather(*(one(place, pixels) for place, pixels in results))
    await line.finish()
    return time.perf_counter() - started


def torchmetrics_way(
    sources: Sequence[Pixels], results: Sequence[tuple[int, Pixels]], clip: Path, device: str
) -> float:
    """Results a second in batches, pixels in memory; not a number where it is not installed."""
    import torch
    from torch.nn import functional
    from transformers import CLIPModel

    try:
        import torchvision  # noqa: F401
        from torchmetrics.functional.image import peak_signal_noise_ratio, structural_similarity_index_measure
        from torchmetrics.functional.image.lpips import _LPIPS
    except ImportError as error:
        print(f"torchmetrics is left out: {error}")
        return float("nan")

    network = _LPIPS(pretrained=False, net="alex", pnet_rand=True).to(device).eval()
    model = CLIPModel.from_pretrained(clip, dtype=torch.bfloat16).to(device).eval()

    def embedded(pictures: torch.Tensor) -> torch.Tensor:
        small = functional.interpolate(pictures, (224, 224), mode="bicubic", antialias=True)
        seen = model.vision_model(small.bfloat16()).pooler_output
        return functional.normalize(model.visual_projection(seen), dim=-1)

    def compare(batch: Sequence[tuple[int, Pixels]]) -> None:
        x, y = (
            torch.from_numpy(np.stack(part)).to(device).permute(0, 3, 1, 2).float() / 255
            for part in ([sources[place] for place, _ in batch], [pixels for _, pixels in batch])
        )
        psnr = peak_signal_noise_ratio(y, x, data_range=1.0, reduction="none", dim=(1, 2, 3))
        ssim = structural_similarity_index_measure(
            y, x, gaussian_kernel=False, kernel_size=7, data_range=1.0, reduction="none"
        )
        a, b = (
            functional.interpolate(each, (256, 256), mode="bilinear", antialias=True) * 2 - 1
            for each in (x, y)
        )
        lpips = network(a, b).flatten()
        cosine = (embedded(x) * embedded(y)).sum(1)
        torch.stack([psnr, ssim, lpips, cosine.float()]).cpu()

    chosen = results[: min(len(results), 512)]
    batches = [chosen[start : start + 16] for start in range(0, len(chosen), 16)]
    with torch.inference_mode():
        compare(batches[0])
        seconds = timed(lambda: [compare(batch) for batch in batches])
    return len(chosen) / seconds


def the_usual_way(source: Pixels, results: Sequence[tuple[int, Pixels]], clip: Path, device: str) -> float:
    """Results a second, one pair at a time from files to files."""
    import torch
    from PIL import Image
    from skimage.metrics import structural_similarity
    from transformers import CLIPModel

    features = TorchFeatures("alex", device)
    model = CLIPModel.from_pretrained(clip).to(device).eval()
    processor = load("clip", MetricOptions(clip=str(clip), device="cpu")).processor  # type: ignore[attr-defined]
    files = [pillow_png(pixels) for pixels in (source, *(pixels for _, pixels in results))]

    def embedded(pixels: Pixels) -> Any:
        inputs = processor(images=Image.fromarray(pixels), return_tensors="pt").to(device)
        with torch.inference_mode():
            seen = model.vision_model(inputs["pixel_values"]).pooler_output
            return model.visual_projection(seen)[0]

    def compare(file: bytes) -> None:
        x, y = pillow_pixels(files[0]), pillow_pixels(file)
        float(np.mean((x.astype(np.float64) - y.astype(np.float64)) ** 2))
        structural_similarity(x, y, channel_axis=2, data_range=255)
        features.distances(features.of([pillow_squared(x)]), [pillow_squared(y)])
        float(torch.nn.functional.cosine_similarity(embedded(x), embedded(y), dim=0))
        pillow_png(y)

    compare(files[1])
    return len(results) / timed(lambda: [compare(file) for file in files[1:]])


def timed(function: Callable[[], object]) -> float:
    started = time.perf_counter()
    function()
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
