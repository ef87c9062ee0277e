"""What known wear looks like to ꟻLIP and to the measures by region, as medians over the pictures of a suite.

    python benchmarks/known_wear.py

prints the scale in `analysis/headline/known_wear.py` and the table in docs/headline.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

import numpy as np

from convergebench import suites
from convergebench.editors import _degradations as wear
from convergebench.metrics import MetricSet
from convergebench.metrics.flip import flip_against
from convergebench.metrics.regions import ReferencePicture, ReturnRegions, locate_edit, measure_return
from convergebench.picture import Picture
from convergebench.types import Pixels


def worn(pixels: Pixels) -> Iterator[tuple[str, Pixels]]:
    """The picture at every strength of every kind of wear."""
    for quality in (95, 90, 75, 50, 30, 20, 10, 5):
        yield f"JPEG at quality {quality}", wear.jpeg(pixels, seed=0, quality=quality)
    for sigma in (4, 8, 16, 32):
        yield f"noise of σ {sigma}", wear.noise(pixels, seed=0, sigma=sigma)
    for width in (0.7, 1, 2, 4):
        yield f"blur of {width:g} px", wear.blur(pixels, seed=0, sigma=width)
    for distance in (0.25, 0.5, 1, 2, 8):
        yield f"a shift of {distance:g} px", wear.shift(pixels, seed=0, dx=distance, dy=0)
    for levels in (2, 4, 8, 16):
        yield f"{levels} levels lighter", np.clip(pixels.astype(int) + levels, 0, 255).astype(np.uint8)
    for levels in (2, 4, 8, 16):
        greener = np.clip(pixels.astype(int) + np.array([0, levels, 0]), 0, 255)
        yield f"{levels} levels greener", greener.astype(np.uint8)


def main() -> None:
    found: dict[str, list[tuple[ReturnRegions, float, float]]] = {}
    lpips_against = MetricSet(["undid"]).lpips_against()
    paths = {case.source.digest: case.source.path for case in suites.load("converge-small").cases}
    for path in paths.values():
        source = Picture.from_file(path).pixels
        reference = ReferencePicture(source, flip_against, lpips_against)
        nothing = locate_edit(reference, source, "local")
        whole = locate_edit(reference, source, "global")
        for label, pixels in worn(source):
            edit = locate_edit(reference, pixels, "local")
            undone = measure_return(reference, whole, pixels).undid
            assert isinstance(undone, float)
            row = measure_return(reference, nothing, pixels), undone, float(edit.footprint.share > 0)
            found.setdefault(label, []).append(row)
    print(f"{len(paths)} pictures")
    print("flip, peak, area, kept, registered, collateral, undid of a global edit, pictures with a footprint")
    for label, rows in found.items():
        seen = [row for row, _, _ in rows]
        registered = [row.kept_registered for row in seen if not isinstance(row.kept_registered, str)]
        numbers = [
            median(row.flip for row in seen),
            median(row.flip_peak for row in seen),
            median(row.flip_area for row in seen),
            median(float(row.kept) for row in seen),
            median(registered),
            median(float(row.collateral) for row in seen),
            median(undone for _, undone, _ in rows),
        ]
        print(f"{label:22}", *(f"{one:.3f}" for one in numbers), int(sum(edited for _, _, edited in rows)))


if __name__ == "__main__":
    main()
