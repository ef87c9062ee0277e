"""The location of a workspace's pictures: its own folder, or a URL that is recorded in it."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

from convergebench.errors import WrongUse
from convergebench.store.pictures import PictureFolder, PictureStore

FOLDER = "pictures"
ELSEWHERE = "pictures.url"
"""The file that contains the URL, if there is one."""
WAITING = "pictures.waiting"
"""The folder for pictures that could not be uploaded yet."""


def pictures_of(workspace: Path) -> PictureStore:
    """The workspace's own store, wherever it is."""
    elsewhere = workspace / ELSEWHERE
    if not elsewhere.is_file():
        return PictureFolder(workspace / FOLDER)
    place = elsewhere.read_text(encoding="utf-8").strip()
    return open_pictures(place, PictureFolder(workspace / WAITING))


def open_pictures(place: str, waiting: PictureFolder | None = None) -> PictureStore:
    """The store at a place: a folder or a URL."""
    if not is_remote(place):
        return PictureFolder(Path(place.removeprefix("file://")))
    from convergebench.store.remote import RemotePictures

    return RemotePictures(place, waiting)


def is_remote(place: str) -> bool:
    """Whether it is not a local folder.

    >>> is_remote("s3://bucket/folder"), is_remote("/data/pictures"), is_remote("file:///data/pictures")
    (True, False, False)
    """
    return "://" in place and not place.startswith("file://")


def choose_location(workspace: Path, place: str) -> None:
    """Set the location of a new workspace's pictures; the location of an existing one cannot be changed."""
    if is_remote(place):
        if urlsplit(place).password:
            raise WrongUse("the URL of --pictures must not contain a password; pass it in the environment")
        wanted = place.rstrip("/")
    else:
        wanted = str(Path(place.removeprefix("file://")).expanduser().absolute())
    elsewhere = workspace / ELSEWHERE
    there = elsewhere.read_text(encoding="utf-8").strip() if elsewhere.is_file() else str(workspace / FOLDER)
    if there == wanted:
        return
    if elsewhere.is_file() or any((workspace / FOLDER).glob("??/*")):
        raise WrongUse(
            f"{workspace} keeps its pictures in {there}; leave --pictures out, or use another --workspace"
        )
    workspace.mkdir(parents=True, exist_ok=True)
    unfinished = elsewhere.with_suffix(".new")
    unfinished.write_text(wanted + "\n", encoding="utf-8")
    unfinished.replace(elsewhere)
