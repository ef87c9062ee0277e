"""How fast the page opens and scrolls on 2,000 trajectories of 20 pictures: python page_speed.py [FOLDER].

Opening is from an empty browser to the heading of the view; the first views from the server meet it while it
still prepares others. Scrolling is the time between frames while a view moves by a fixed step in each, as the
browser reports it: 16.7 ms where it keeps up.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the commands set it, before NumPy is imported

import numpy as np
from row import row

from convergebench.picture import Picture
from convergebench.report.page import write_site
from convergebench.results import load_results
from convergebench.store import Enrolment, Workspace
from convergebench.types import Case, EditorFacts, Measurement, SourcePicture, Step

MODELS, CASES, ROUNDS = 20, 100, 10
VIEWS = ("overview", "film", "gallery", "drift", "compare", "judging", "runs")
METRICS = ("psnr", "ssim", "lpips")
FILMS = "&".join(f"model=model{number:02}" for number in range(6))


def fill(folder: Path) -> None:
    """Every picture is different, and tiny; all are written without waiting for the disk."""
    with Workspace.create(folder) as workspace:
        run = workspace.start_run({"suite": "large@1"}, "0.1.0")
        random = np.random.default_rng(0)
        for number in range(CASES):
            source = keep(workspace, random)
            picture = SourcePicture(f"picture{number:03}", Path("gone"), source.digest)
            case = Case(
                f"picture{number:03}/pair", (picture,), "Add.", "Remove.", "pair", f"category{number % 4}"
            )
            for model in range(MODELS):
                add(workspace, run, model, case, source, random)
        workspace.finish_run(run, "finished")


def keep(workspace: Workspace, random: np.random.Generator) -> Picture:
    picture = Picture.from_pixels(random.integers(0, 256, (12, 16, 3), np.uint8))
    path = workspace.pictures.path(picture.facts)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(picture.encoded)
    return picture


def add(
    workspace: Workspace, run: int, model: int, case: Case, source: Picture, random: np.random.Generator
) -> None:
    editor = EditorFacts(f"model{model:02}", "1")
    (trajectory,) = workspace.enrol(
        [Enrolment("round_trip", "large@1", editor, case, 0, ROUNDS)], fresh=False
    )
    held = source
    for position in range(2 * ROUNDS):
        made, role = keep(workspace, random), ("forward", "backward")[position % 2]
        step = Step(position, role, position // 2 + 1, "", 0, (held.digest,), made.facts, 1.0, 0.0, 1)
        workspace.record_step(trajectory, run, step)
        if role == "backward":
            left = float(np.exp(-0.01 * (model + 1) * position) * random.uniform(0.9, 1))
            values = {"psnr": 40 * left, "ssim": left, "lpips": 1 - left}
            rows = [(source.digest, made.digest, Measurement(name, "1", values[name])) for name in METRICS]
            workspace.record_measurements(rows)
        held = made


SCROLLED = {
    "gallery": ("#/gallery", "document.scrollingElement", 60, 0),
    "filmstrip, down": (f"#/film?{FILMS}", "document.scrollingElement", 12, 0),
    "filmstrip, along": (f"#/film?{FILMS}", "document.querySelector('.strip')", 0, 12),
}
SCROLL = """
    new Promise((done) => {
        const [pane, down, right, frames] = [%s, %d, %d, []];
        const step = (now) => {
            frames.push(now);
            pane.scrollBy({ top: down, left: right, behavior: "instant" });
            if (frames.length <= 240) requestAnimationFrame(step);
            else done(frames.slice(1).map((at, number) => at - frames[number]));
        };
        requestAnimationFrame(step);
    })
"""


def measure(title: str, address: str) -> tuple[float, float]:
    """The longest opening in seconds, and the slowest scrolling's 95th percentile in milliseconds a frame."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as running:
        browser = running.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        opened, scrolled = [], []
        for view in VIEWS:
            page = browser.new_page()
            began = time.perf_counter()
            page.goto(f"{address}#/{view}")
            page.wait_for_selector("#content h1")
            opened.append(time.perf_counter() - began)
            print(f"{title}  open {view:9} {opened[-1]:.2f} s")
            page.close()
        for name, (place, pane, down, right) in SCROLLED.items():
            page = browser.new_page()
            page.goto(address + place)
            page.wait_for_selector("#content h1")
            page.wait_for_timeout(1000)
            frames = np.array(page.evaluate(SCROLL % (pane, down, right)))
            middle, slow = np.percentile(frames, [50, 95])
            scrolled.append(float(slow))
            print(f"{title}  scroll {name:16} median {middle:.1f} ms, 95 % under {slow:.1f} ms a frame")
            page.close()
        browser.close()
    return max(opened), max(scrolled)


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The same page from the server, in a process of its own."""
    command = [sys.executable, "-m", "convergebench", "view", "--port", "0", "--workspace", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        try:
            assert running.stdout is not None
            yield running.stdout.readline().split()[1]
        finally:
            running.terminate()


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        run(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(name))


def run(folder: Path) -> None:
    if not (folder / "results").exists():
        fill(folder / "results")
    began = time.perf_counter()
    with Workspace.existing(folder / "results") as workspace:
        results = load_results(workspace)
        print(f"gathering {time.perf_counter() - began:.1f} s")
        page = write_site(workspace, results, folder / "report")
    written = time.perf_counter() - began
    print(f"writing   {written:.1f} s")
    disk = measure("disk  ", page.as_uri())
    with served(folder / "results") as address:
        server = measure("server", address)
    row(
        f"the page on {MODELS * CASES:,} trajectories × {2 * ROUNDS} pictures: the slowest view opens",
        f"from disk in {disk[0]:.1f} s, from the server in {server[0]:.1f} s",
        f"scrolling, 95 % of frames under {disk[1]:.0f} and {server[1]:.0f} ms; written in {written:.0f} s",
    )


if __name__ == "__main__":
    main()
