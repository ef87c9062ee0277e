"""Draws the pictures of the README and of headline.md from a real run: python docs/make_images.py [WORKSPACE]

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
from convergebench.analysis.headline.seen_values import face_distance_of, kept_seen, undid_seen
from convergebench.report import GridCell, GridRow, picture_grid
from convergebench.types import Pixels

IMAGES = Path(__file__).with_name("images")
EDITORS = ("classical-patch", "classical", "classical-reframe", "classical-ghost", "classical-reencode")
ON_FILM = ("classical-patch", "classical", "classical-reencode")
CASE = ("portrait_astronaut", "glasses_add_remove")
IN_GRID = ("portrait_astronaut", "object_coffee", "object_leather_armchair", "scene_living_room_evening")
CASES = 12
ROUNDS = (1, 3, 10)
MOST_BYTES = 150_000


def main() -> None:
    workspace = sys.argv[1] if len(sys.argv) > 1 else "readme_results"
    models = (*EDITORS, "jpeg")
    with convergebench.run(models, "converge-small", limit=CASES, workspace=workspace) as done:
        with tempfile.TemporaryDirectory() as folder:
            strip, grid, page = (Path(folder, f"{name}.png") for name in ("filmstrip", "headline", "page"))
            picture_grid(filmstrip(done), strip)
            picture_grid(last_returns(done), grid)
            photograph(done.report(folder)[-1], page)
            for drawn in (strip, grid, page):
                print("Wrote", compressed(drawn, IMAGES / f"{drawn.stem}.webp"))
        print(done)


def filmstrip(done: Benchmark) -> list[GridRow]:
    """One case: the source, then what came back after some rounds, one row per model."""
    frame = done.returns()
    case = frame[(frame["picture"] == CASE[0]) & (frame["pair"] == CASE[1])]
    source = GridCell(source_of(done, CASE[0]), "source")
    rows = []
    for model in ON_FILM:
        found = case[case["model"] == model].set_index("round")["digest"]
        rows.append(
            GridRow(model, [source, *(GridCell(loaded(done, found[one]), f"round {one}") for one in ROUNDS)])
        )
    return rows


def last_returns(done: Benchmark) -> list[GridRow]:
    """Sources, then what each editor returned at the end, with what counts as undone and kept."""
    last = {(item.model, item.picture): item for item in done.results().returns if item.round == max(ROUNDS)}
    rows = [GridRow("source", [GridCell(source_of(done, one), "") for one in IN_GRID])]
    for model in EDITORS:
        cells = []
        for item in (last[model, picture] for picture in IN_GRID):
            undid = undid_seen(item.values, face_distance_of(item.values))
            kept = kept_seen(item.values)
            cells.append(GridCell(loaded(done, item.digest), f"undid {undid:.2f}, kept {kept:.2f}"))
        rows.append(GridRow(model, cells))
    return rows


def source_of(done: Benchmark, picture: str) -> Pixels:
    sources, *_ = done.grid_rows(done.results(), columns=CASES)
    return next(cell.pixels for cell in sources.cells if picture in cell.caption)


def loaded(done: Benchmark, digest: str) -> Pixels:
    return done.workspace.pictures.load(digest).pixels


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
