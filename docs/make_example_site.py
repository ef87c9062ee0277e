"""Builds the example leaderboard and the example page of the documentation, with the built-in editors.

Run by `make site`: python docs/make_example_site.py FOLDER
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import cv2

import convergebench
from convergebench import suites
from convergebench.leaderboard import build_leaderboard, pack_submission
from convergebench.leaderboard.manifest import Pictures
from convergebench.picture import Picture
from convergebench.store import Workspace

SIDE = 256
ROUNDS = 3
LABS: tuple[tuple[str, tuple[str, ...], int, Pictures], ...] = (
    ("Example lab", ("classical", "classical-patch", "jpeg"), 6, "full"),
    ("Other example lab", ("classical", "classical-ghost"), 4, "full"),
    ("Lab without pictures", ("classical-reencode",), 6, "thumbnails"),
)
"""Who submits, with which models, on how many cases, and with which pictures."""


def small_pictures(folder: Path) -> Path:
    """The pictures of the drawn suite, small enough for a page in the documentation."""
    folder.mkdir()
    for source in {case.source.id: case.source for case in suites.load("converge-drawn").cases}.values():
        pixels = Picture.from_file(source.path).pixels
        share = SIDE / max(pixels.shape[:2])
        small = cv2.resize(pixels, None, fx=share, fy=share, interpolation=cv2.INTER_AREA)
        (folder / f"{source.id}.png").write_bytes(Picture.from_pixels(small).encoded)
    return folder


def main(target: Path) -> None:
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        pictures, submissions = small_pictures(work / "pictures"), work / "submissions"
        for number, (label, models, cases, kind) in enumerate(LABS):
            place = work / f"lab-{number}"
            with convergebench.run(
                models, f"folder:{pictures}", ROUNDS, limit=cases, workspace=place
            ) as done:
                if number == 0:
                    done.report(target / "page")
            with Workspace.existing(place) as workspace:
                pack_submission(workspace, submissions / f"lab-{number}.zip", label=label, pictures=kind)
        built = build_leaderboard(submissions, target / "leaderboard", title="Example leaderboard")
        for one in built.board.left_out:
            sys.exit(f"{one.file} was left out: {one.reason}")
    print(f"Wrote {built.page}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
