"""How much CPU a map of ꟻLIP takes: ours with and without the source kept, OpenCV's way, NVIDIA's package.

    python benchmarks/flip.py [--turns 5]

The ways take turns, so that other work on the machine slows none more than the others, and the best turn of
each counts. CPU time is of all threads together; ours takes one.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import flip_evaluator
import numpy as np
from numpy.typing import NDArray
from row import row

from convergebench import kernels
from convergebench.metrics.flip import PIXELS_PER_DEGREE, _opencv, flip_map, flip_source, smoothed
from convergebench.types import Pixels

Map = NDArray[np.float32]
KEPT, NVIDIA = "source kept", "flip-evaluator"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--turns", type=int, default=5)
    turns = parser.parse_args().turns
    if not kernels.available():
        raise SystemExit("the C loops were not built: install the package where there is a compiler")
    for side in (512, 1024):
        compare(side, turns)


def compare(side: int, turns: int) -> None:
    source, result = made_pictures(side)
    prepared = flip_source(source)
    by_opencv = _opencv.features(source, PIXELS_PER_DEGREE)
    one, other = (pixels.astype(np.float32) / 255 for pixels in (source, result))
    ways: dict[str, Callable[[], Map]] = {
        KEPT: lambda: flip_map(prepared, result),
        "source kept, smoothed": lambda: smoothed(flip_map(prepared, result)),
        "source prepared each time": lambda: flip_map(flip_source(source), result),
        "OpenCV, source kept": lambda: _opencv.difference(by_opencv, result, PIXELS_PER_DEGREE),
        NVIDIA: lambda: flip_evaluator.evaluate(
            one, other, "LDR", applyMagma=False, parameters={"ppd": PIXELS_PER_DEGREE}
        )[0],
    }
    spent = {name: [cpu_ms(way) for _ in range(3)] for name, way in ways.items()}
    for _ in range(turns):
        for name, way in ways.items():
            spent[name].append(cpu_ms(way))
    best = {name: min(times) for name, times in spent.items()}
    apart = float(np.abs(ways[KEPT]() - ways[NVIDIA]()[..., 0]).max())
    print(f"\na map at {side} × {side}: CPU milliseconds, and how many times ours with the source kept")
    for name, milliseconds in best.items():
        print(f"{name:28}{milliseconds:10.1f}{milliseconds / best[KEPT]:8.1f} ×")
    print(f"largest difference from flip-evaluator: {apart:.1e}")
    row(
        f"ꟻLIP's map of a {side}² result, source kept, CPU",
        f"{best[KEPT]:.1f} ms",
        f"{best[NVIDIA] / best[KEPT]:.0f} × flip-evaluator, equal to {apart:.0e}; "
        f"{best['OpenCV, source kept'] / best[KEPT]:.0f} × OpenCV and NumPy",
    )


def cpu_ms(way: Callable[[], Map]) -> float:
    started = time.process_time()
    way()
    return 1000 * (time.process_time() - started)


def made_pictures(side: int) -> tuple[Pixels, Pixels]:
    """Smooth random colours with texture, and the same blurred a little and with noise."""
    import cv2

    random = np.random.default_rng(7)
    colours = cv2.resize(random.uniform(20, 235, (12, 12, 3)), (side, side), interpolation=cv2.INTER_CUBIC)
    source = colours + cv2.GaussianBlur(random.normal(0, 40, (side, side, 3)), (0, 0), 1.2)
    result = cv2.GaussianBlur(source, (0, 0), 0.8) + random.normal(0, 3, source.shape)
    first, second = (np.clip(each, 0, 255).astype(np.uint8) for each in (source, result))
    return first, second


if __name__ == "__main__":
    main()
