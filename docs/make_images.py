"""Draws the pictures of the README from a real run: python docs/make_images.py [WORKSPACE]

The run needs no key; it takes some minutes, and continues if it is started again. Needs Chromium for the
picture of the page.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

import convergebench
from convergebench import Benchmark
from convergebench.report import GridCell, GridRow, picture_grid

IMAGES = Path(__file__).with_name("images")
MODELS = ("classical", "classical-ghost", "classical-reencode", "classical-reframe", "jpeg")
ON_FILM = ("classical", "classical-reencode", "classical-reframe")
PICTURES = ("portrait_astronaut", "object_coffee", "scene_lake_with_rowboat")
CASE = ("portrait_astronaut", "glasses_add_remove")
ROUNDS = (1, 3, 10)
MOST_BYTES = 150_000


def main() -> None:
    workspace = sys.argv[1] if len(sys.argv) > 1 else "readme_results"
    with convergebench.run(MODELS, "converge-small", limit=3, pictures=PICTURES, workspace=workspace) as done:
        with tempfile.TemporaryDirectory() as folder:
            strip, page = Path(folder, "filmstrip.png"), Path(folder, "page.png")
            picture_grid(filmstrip(done), strip)
            photograph(done.report(folder)[-1], page)
            for drawn in (strip, page):
                print("Wrote", compressed(drawn, IMAGES / f"{drawn.stem}.webp"))
        print(done)


def filmstrip(done: Benchmark) -> list[GridRow]:
    """One case: the source, then what came back after some rounds, one row per model."""
    frame = done.returns()
    case = frame[(frame["picture"] == CASE[0]) & (frame["pair"] == CASE[1])]
    sources, *_ = done.grid_rows(done.results(), columns=len(PICTURES))
    source = next(cell for cell in sources.cells if CASE[0] in cell.caption)
    rows = []
    for model in ON_FILM:
        found = case[case["model"] == model].set_index("round")["digest"]
        cells = [GridCell(done.workspace.pictures.load(found[one]).pixels, f"round {one}") for one in ROUNDS]
        rows.append(GridRow(model, [GridCell(source.pixels, "source"), *cells]))
    return rows


def photograph(page: Path, path: Path) -> None:
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as running:
        browser = running.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        view = browser.new_page(viewport={"width": 1200, "height": 900})
        view.goto(page.resolve().as_uri())
        view.wait_for_load_state("networkidle")
        view.screenshot(path=path)
        browser.close()


def compressed(picture: Path, target: Path) -> Path:
    """As WebP, in the best quality that is small enough for a README."""
    with Image.open(picture) as image:
        for quality in (90, 80, 70, 60, 50):
            image.convert("RGB").save(target, quality=quality, method=6)
            if target.stat().st_size <= MOST_BYTES:
                break
    return target


if __name__ == "__main__":
    main()
