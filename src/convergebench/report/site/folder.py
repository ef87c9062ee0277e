"""The page as a folder: it opens from disk, and on any static host."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from convergebench.analysis import Results
from convergebench.report._atomic import replacing
from convergebench.report.site.script import script_of
from convergebench.report.site.sections import Sections
from convergebench.report.site.thumbnails import keep_thumbnails
from convergebench.store import Workspace

ASSETS = Path(__file__).parent / "assets"
PAGE = "index.html"
PARTS = "page"
"""The folder beside it that holds scripts, styles, data and thumbnails."""
PICTURES = "pictures"
THUMBNAILS = "thumbnails"


def write_site(workspace: Workspace, results: Results, folder: Path) -> Path:
    """Write index.html, and all that it needs beside it.

    Pictures are linked, or copied where that cannot be; a folder that is the workspace has them already.
    """
    sections = Sections(workspace, results)
    shutil.rmtree(folder / PARTS / "data", ignore_errors=True)
    pictures: dict[str, str] = {}
    for key in sections.keys:
        section = sections.build(key)
        if key.startswith("case/"):
            pictures.update(_pictures(section))
        _write(folder / PARTS / "data" / f"{key}.js", script_of(key, section))
    for digest_file in pictures.values():
        _link(workspace.folder / PICTURES / digest_file, folder / PICTURES / digest_file)
    keep_thumbnails(workspace.pictures, set(pictures), folder / PARTS / THUMBNAILS)
    for asset in ASSETS.iterdir():
        place = folder / PAGE if asset.name == PAGE else folder / PARTS / asset.name
        _write(place, asset.read_text(encoding="utf-8"))
    return folder / PAGE


def _pictures(case: Any) -> Iterator[tuple[str, str]]:
    """Digests and files of all that a case shows."""
    steps = [step["picture"] for film in case["films"] for step in film["steps"]]
    for picture in (case["source"], *steps):
        if picture is not None:
            yield picture["digest"], picture["file"]


def _link(stored: Path, place: Path) -> None:
    if place.exists():
        return
    place.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(stored, place)
    except OSError:
        shutil.copyfile(stored, place)


def _write(path: Path, text: str) -> None:
    with replacing(path) as part:
        part.write_text(text, encoding="utf-8")
