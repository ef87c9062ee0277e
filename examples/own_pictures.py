"""Benchmark models on your own pictures with your own edits.

    python examples/own_pictures.py FOLDER

Without a folder it draws two pictures. Results are written to ./own_pictures_results.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

from PIL import Image, ImageDraw

import convergebench

EDITS = [
    # picture (a file name or a pattern), what to do, and what undoes it
    ("*", "Mirror the image horizontally.", "Mirror the image horizontally."),
    ("*", "Rotate the image by 180 degrees.", "Rotate the image by 180 degrees."),
]


def draw_pictures(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    for name, sky in (("morning", "skyblue"), ("evening", "salmon")):
        image = Image.new("RGB", (320, 240), sky)
        draw = ImageDraw.Draw(image)
        draw.rectangle((0, 150, 320, 240), "seagreen")
        draw.polygon([(40, 170), (110, 60), (190, 170)], "dimgrey")
        draw.ellipse((230, 20, 280, 70), "gold")
        image.save(folder / f"{name}.png")
    return folder


def write_edits(path: Path) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("picture", "forward", "backward"), *EDITS])
    return path


def main() -> None:
    pictures = Path(sys.argv[1]) if len(sys.argv) > 1 else draw_pictures(Path("pictures"))
    result = convergebench.run(
        ["classical", "classical-reencode", "jpeg"],
        images=pictures,
        edits=write_edits(Path("edits.csv")),
        rounds=3,
        metrics=["psnr", "ssim", "regions"],  # quick; leave it out for all metrics
        workspace="own_pictures_results",
    )
    print(result)
    print(result.worst(limit=3))
    print("Open", result.report()[-1])


if __name__ == "__main__":
    main()
