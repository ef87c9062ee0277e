"""What the default set costs per result, in CPU milliseconds of all threads together, without CLIP.

    python benchmarks/default_set.py [--results 8]

A result is one round of a chain: a forward picture with something drawn on it, and a worn return. What
depends on the source alone is prepared before. All together take less than the sum of the parts: a set
computes once what several of its metrics need. Versions without measures by region print the rest of their
default set.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from inspect import signature

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command has it; its threads spin while they wait

import cv2
import numpy as np
from row import row
from skimage import data

from convergebench import metrics
from convergebench.metrics import DEFAULT_MEASURED, MetricSet
from convergebench.picture import Picture
from convergebench.types import Pixels

SIDES = (512, 1024)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--results", type=int, default=8)
    count = parser.parse_args().results
    print("CPU ms per result |", " | ".join(f"{side} px" for side in SIDES))
    columns = [costs(side, count) for side in SIDES]
    slow = [column.pop("sampled", 0.0) for column in columns]
    totals = [column.pop("together") for column in columns]
    for name in columns[0]:
        print(f"{name:18} |", " | ".join(f"{column[name]:.0f}" for column in columns))
    print(f"{'together':18} |", " | ".join(f"{total:.0f}" for total in totals))
    print(f"{'at reported rounds':18} |", " | ".join(f"{one:.0f}" for one in slow))
    parts = [", ".join(f"{name} {cost:.0f}" for name, cost in column.items()) for column in columns]
    row(
        "the default set without CLIP, CPU milliseconds a result",
        ", ".join(f"{total:.0f} at {side}²" for side, total in zip(SIDES, totals, strict=True)),
        "; ".join(f"at {side}²: {part}" for side, part in zip(SIDES, parts, strict=True)),
    )


def costs(side: int, count: int) -> dict[str, float]:
    source = cv2.resize(data.astronaut(), (side, side), interpolation=cv2.INTER_CUBIC)
    returns = [worn(source, quality) for quality in range(40, 40 + count)]
    groups = [group for group in DEFAULT_MEASURED if group not in ("clip", "regions", "visibility")]
    found = {group: of_groups([group], source, returns) for group in groups}
    found["together"] = of_groups([group for group in groups if group != "sampled"], source, returns)
    if "regions" in DEFAULT_MEASURED:
        found["regions and ꟻLIP"] = by_region(source, returns)
        found["together"] += found["regions and ꟻLIP"]
    return found


def of_groups(groups: list[str], source: Pixels, returns: list[Pixels]) -> float:
    metric_set = MetricSet(metrics.expand(groups))
    pairs = [(Picture.from_pixels(source), Picture.from_pixels(result)) for result in returns]
    metric_set.measure(pairs[:1])
    return cpu_ms(lambda: metric_set.measure(pairs)) / len(returns)


def by_region(source: Pixels, returns: list[Pixels]) -> float:
    """Of a forward picture and its return, each against a new input, as in the rounds of a chain."""
    from convergebench.metrics.flip import flip_against
    from convergebench.metrics.regions import ReferencePicture, locate_edit, measure_return

    lpips_against = MetricSet(["undid"]).lpips_against()
    reference = ReferencePicture(source, flip_against, lpips_against)
    forwards = [edited(before) for before in (source, *returns)]
    keeps_returns = "picture" in signature(measure_return).parameters  # earlier versions took pixels alone
    measure_return(reference, locate_edit(reference, forwards[0], "local"), returns[0])

    def rounds() -> None:
        earlier = []
        before = ReferencePicture(source, flip_against, lpips_against)
        for forward, pixels in zip(forwards, returns, strict=False):
            edit = locate_edit(before, forward, "local")
            before = ReferencePicture(pixels, flip_against, lpips_against)  # the input of the next round
            measure_return(reference, edit, before if keeps_returns else pixels, earlier)
            earlier.append(edit.footprint)

    return cpu_ms(rounds) / len(returns)


def worn(pixels: Pixels, quality: int) -> Pixels:
    _, encoded = cv2.imencode(".jpg", pixels[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, quality])
    return np.ascontiguousarray(np.asarray(cv2.imdecode(encoded, cv2.IMREAD_COLOR))[..., ::-1])


def edited(pixels: Pixels) -> Pixels:
    side = len(pixels)
    return np.asarray(cv2.circle(pixels.copy(), (side // 3, side // 3), side // 8, (200, 30, 30), -1))


def cpu_ms(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return 1000 * (time.process_time() - started)


if __name__ == "__main__":
    main()
