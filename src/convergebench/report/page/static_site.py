"""The page as a folder: it opens from disk, and on any static host."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from convergebench.analysis import Results
from convergebench.atomic_files import replacing
from convergebench.errors import WorkspaceError
from convergebench.report.page.change_maps import mean_map
from convergebench.report.page.data_script import script_of
from convergebench.report.page.picture_cache import MAPS, PictureCache
from convergebench.report.page.sections import PagePicture, Sections
from convergebench.store import PictureFolder, PictureStore, Workspace
from convergebench.types import Digest

ASSETS = Path(__file__).parent / "assets"
PAGE = "index.html"
PARTS = "page"
"""The folder beside it that holds scripts, styles, data, thumbnails and maps."""
PICTURES = "pictures"
MEANS = "mean"


def write_site(workspace: Workspace, results: Results, folder: Path) -> Path:
    """Write index.html, and all that it needs beside it.

    Pictures are linked, or copied where that cannot be; a folder that is the workspace has them already.
    """
    sections = Sections(workspace, results)
    data = folder / PARTS / "data"
    shutil.rmtree(data, ignore_errors=True)
    shown: list[PagePicture] = []
    pictured = [key for key in sections.keys if sections.shows_pictures(key)]
    for key in pictured:
        section = sections.build(key)
        shown += sections.pictures_in(key, section)
        _write(data / f"{key}.js", script_of(key, section))
    with ThreadPoolExecutor(1) as beside:  # making small pictures leaves Python free for the rest
        kept = beside.submit(_keep_pictures, workspace, shown, folder)
        for key in (key for key in sections.keys if not sections.shows_pictures(key)):
            _write(data / f"{key}.js", script_of(key, sections.build(key)))
        keeper = kept.result()
    _write_means(keeper, sections, folder / PARTS / MAPS / MEANS)
    for asset in ASSETS.iterdir():
        place = folder / PAGE if asset.name == PAGE else folder / PARTS / asset.name
        _write(place, asset.read_text(encoding="utf-8"))
    return folder / PAGE


def _keep_pictures(workspace: Workspace, shown: Sequence[PagePicture], folder: Path) -> PictureCache:
    for file, digest in {one.file: one.digest for one in shown if one.file}.items():
        _bring(workspace.pictures, digest, file, folder / PICTURES / file)
    sources: dict[Digest, set[Digest]] = {}
    for one in shown:
        sources.setdefault(one.digest, set()).update([one.source] if one.source else [])
    keeper = PictureCache(workspace.pictures, folder / PARTS)
    keeper.keep(sources)
    return keeper


def _write_means(keeper: PictureCache, sections: Sections, folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for number in range(sections.models):
        content = mean_map(keeper.maps_of(sections.last_returns(number)))
        if content:
            (folder / f"{number}.png").write_bytes(content)


def _bring(store: PictureStore, digest: Digest, file: str, place: Path) -> None:
    if place.exists():
        return
    place.parent.mkdir(parents=True, exist_ok=True)
    if not isinstance(store, PictureFolder):
        with suppress(WorkspaceError):  # the keeper says what is gone
            place.write_bytes(store.load(digest).encoded)
        return
    kept = Path(store.place) / file
    try:
        os.link(kept, place)
    except OSError:
        if kept.exists():
            shutil.copyfile(kept, place)


def _write(path: Path, text: str) -> None:
    with replacing(path) as part:
        part.write_text(text, encoding="utf-8")
