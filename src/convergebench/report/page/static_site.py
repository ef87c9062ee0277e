"""The page as a folder that opens from disk, and on any static host."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from convergebench.analysis import Results
from convergebench.atomic_files import replacing, write_whole
from convergebench.errors import WorkspaceError
from convergebench.report.page.change_maps import mean_map
from convergebench.report.page.data_script import script_of
from convergebench.report.page.page_files import PAGE, PARTS, page_files
from convergebench.report.page.page_picture import PagePicture
from convergebench.report.page.page_results import ScopedResults
from convergebench.report.page.picture_cache import MAPS, Derived, PictureCache
from convergebench.report.page.picture_workers import keep_derived
from convergebench.report.page.published import published
from convergebench.report.page.scopes import SCOPES, scope_prefix, scopes_section
from convergebench.report.page.sections import Sections
from convergebench.store import PictureFolder, PictureStore, Workspace
from convergebench.types import Digest

PICTURES = "pictures"
MEANS = "mean"


def write_site(
    workspace: Workspace, results: Results, folder: Path, others: Sequence[ScopedResults] = ()
) -> Path:
    """Write index.html and all files that it needs; the page opens with `results` and lets its reader choose
    among `others`.

    Pictures are linked, or copied if links do not work. A folder that is the workspace already contains them.
    """
    data = folder / PARTS / "data"
    for old in (data, folder / PARTS / MAPS / MEANS):
        shutil.rmtree(old, ignore_errors=True)
    every = [ScopedResults(workspace, results), *others]
    picture_cache = PictureCache(workspace.pictures, folder / PARTS)
    for number, one in enumerate(every):
        _write_sections(Sections(one.workspace, one.results), picture_cache, folder, scope_prefix(number))
    _write(data / f"{SCOPES}.js", script_of(SCOPES, scopes_section(every)))
    for name, text in page_files().items():
        _write(folder / PAGE if name == PAGE else folder / PARTS / name, text)
    return folder / PAGE


def _write_sections(sections: Sections, picture_cache: PictureCache, folder: Path, prefix: str) -> None:
    """The data of one suite and protocol, and the pictures that it refers to."""
    data = folder / PARTS / "data"
    pictures: list[PagePicture] = []
    for key in filter(sections.shows_pictures, sections.keys):
        section = sections.build(key)
        pictures += sections.pictures_in(key, section)
        _write(data / f"{prefix}{key}.js", script_of(prefix + key, published(section)))
    means = folder / PARTS / MAPS / MEANS / prefix

    def draw() -> None:
        _cache_pictures(picture_cache, pictures, folder)
        sections.keep_breakages(picture_cache)
        sections.keep_exports(picture_cache)
        _write_means(picture_cache, sections, means)

    with ThreadPoolExecutor(1) as pool:  # drawing does not block other Python threads
        drawn = pool.submit(draw)
        for key in (key for key in sections.keys if not sections.shows_pictures(key)):
            _write(data / f"{prefix}{key}.js", script_of(prefix + key, published(sections.build(key))))
        drawn.result()


def _cache_pictures(picture_cache: PictureCache, pictures: Sequence[PagePicture], folder: Path) -> None:
    for file, digest in {one.file: one.digest for one in pictures if one.file}.items():
        # As texts: joining tens of thousands of paths takes longer than linking.
        _link_or_copy(picture_cache.store, digest, file, f"{folder.as_posix()}/{PICTURES}/{file}")
    shown: dict[Digest, Derived] = {}
    for one in pictures:
        derived = shown.setdefault(one.digest, Derived())
        derived.sources.update([one.source] if one.source else [])
        derived.crops.update([(one.source, one.worst_box)] if one.source and one.worst_box else [])
    keep_derived(picture_cache, shown)


def _write_means(picture_cache: PictureCache, sections: Sections, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(sections.models):
        content = mean_map(picture_cache.maps_of(sections.last_returns(number)))
        if content:
            (folder / f"{number}.png").write_bytes(content)


def _link_or_copy(store: PictureStore, digest: Digest, file: str, place: str) -> None:
    if not isinstance(store, PictureFolder):
        if not Path(place).exists():
            with suppress(WorkspaceError):  # the picture cache reports it
                write_whole(place, store.load(digest).encoded)
        return
    stored = f"{store.place}/{file}"
    try:
        _link(stored, place)
    except FileExistsError:
        return
    except OSError:
        if Path(stored).exists():
            shutil.copyfile(stored, place)


def _link(stored: str, place: str) -> None:
    try:
        os.link(stored, place)
    except FileNotFoundError:  # the folder, or else the picture
        Path(place).parent.mkdir(parents=True, exist_ok=True)
        os.link(stored, place)


def _write(path: Path, text: str) -> None:
    with replacing(path) as part:
        part.write_text(text, encoding="utf-8")
