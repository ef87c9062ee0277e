"""A picture store for many machines: any URL that fsspec supports, such as s3://bucket/folder."""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any, TypeVar

from convergebench.errors import NO_ROOM, LostPicture, MissingExtra, WorkspaceError
from convergebench.lru_cache import LruCache
from convergebench.picture import SUFFIXES, Picture
from convergebench.store.pictures import REPAIR, PictureFolder, check, disk_full, name_of
from convergebench.types import Digest, PictureFacts

PATIENCE_SECONDS = 300.0
LONGEST_WAIT_SECONDS = 10.0
CACHE_BYTES = 256 * 1024 * 1024
MARKER = "convergebench.txt"
DIGEST_LENGTH = 64

T = TypeVar("T")

log = logging.getLogger("convergebench")


class Unreachable(WorkspaceError):
    """The store did not answer within the time limit."""


class RemotePictures:
    """Pictures at a URL. Requests are retried while it cannot be reached, and pictures are verified when
    read.

    `waiting` is a folder for pictures that could not be stored, whatever the reason: they are paid for. They
    are read from there until the next `prepare` uploads them, and until then no further edit is started.
    """

    writers = 32

    def __init__(
        self, url: str, waiting: PictureFolder | None = None, patience_seconds: float = PATIENCE_SECONDS
    ) -> None:
        self._url = url.rstrip("/")
        self._waiting = waiting
        self._patience_seconds = patience_seconds
        self._files, self._root = _opened(self._url)
        self._recent: LruCache[Digest, bytes] = LruCache(max_bytes=CACHE_BYTES, size=len)
        self._trouble: WorkspaceError | None = None

    @property
    def place(self) -> str:
        return self._url

    def prepare(self) -> None:
        """Write a line of text, which shows that pictures can be written; store those that wait."""
        self._write(f"{self._root}/{MARKER}", b"Pictures of ConvergeBench, by SHA-256.\n")
        if self._waiting is None:
            return
        self._waiting.prepare()
        for path in sorted(Path(self._waiting.place).glob("??/*")):
            self._store(Picture.from_bytes(path.read_bytes()))
            path.unlink()
        self._trouble = None

    def put(self, picture: Picture) -> None:
        if picture.kept_in is self:
            return
        try:
            self._store(picture)
        except WorkspaceError as error:
            if self._waiting is None:
                raise
            self._waiting.put(picture)
            self._trouble = error

    def put_all(self, pictures: Sequence[Picture]) -> list[Exception | None]:
        return [self._error_of_put(picture) for picture in pictures]

    def _error_of_put(self, picture: Picture) -> Exception | None:
        try:
            self.put(picture)
        except Exception as error:
            return error
        return None

    def open(self, facts: PictureFacts) -> Picture:
        return Picture(facts, load=lambda: self._found(facts), kept_in=self)

    def load(self, digest: Digest) -> Picture:
        for media_type in SUFFIXES:
            try:
                return Picture.from_bytes(self._read(PictureFacts(digest, 0, 0, media_type)))
            except FileNotFoundError:
                continue
        raise LostPicture(f"picture {digest} is not in {self._url}; {REPAIR}")

    def holds(self, facts: PictureFacts) -> bool:
        if self._waiting is not None and self._waiting.holds(facts):
            return True
        return self._persistently(lambda: bool(self._files.exists(self._path(facts))))

    def ensure_room(self) -> None:
        if self._trouble is not None:
            raise self._trouble
        if self._waiting is not None:
            self._waiting.ensure_room()

    def sizes(self) -> dict[Digest, int]:
        found: dict[str, Any] = self._persistently(lambda: self._files.find(self._root, detail=True))
        waiting = self._waiting.sizes() if self._waiting is not None else {}
        stored = {Path(path).stem: int(facts["size"]) for path, facts in found.items()}
        return {digest: size for digest, size in (stored | waiting).items() if len(digest) == DIGEST_LENGTH}

    def remove(self, digests: Collection[Digest]) -> None:
        wanted = set(digests)
        found: Sequence[str] = self._persistently(lambda: self._files.find(self._root))
        paths = [path for path in found if Path(path).stem in wanted]
        if paths:
            self._persistently(lambda: self._files.rm(paths))
        if self._waiting is not None:
            self._waiting.remove(wanted)

    def set_aside(self, digests: Collection[Digest]) -> None:
        """They are deleted: a bucket has no room for what nobody can use."""
        self.remove(digests)

    def _path(self, facts: PictureFacts) -> str:
        return f"{self._root}/{name_of(facts)}"

    def _store(self, picture: Picture) -> None:
        data = picture.encoded
        self._write(self._path(picture.facts), data)
        self._recent.put(picture.digest, data)

    def _write(self, path: str, data: bytes) -> None:
        """Also if it exists already: writing the same bytes again costs less than checking."""
        try:
            self._persistently(lambda: self._files.pipe_file(path, data))
        except FileNotFoundError as error:
            raise WorkspaceError(
                f"{self._url} does not exist; create the bucket, or check the name"
            ) from error

    def _found(self, facts: PictureFacts) -> bytes:
        try:
            return self._read(facts)
        except FileNotFoundError as error:
            raise LostPicture(f"picture {facts.digest} is not in {self._url}; {REPAIR}") from error

    def _read(self, facts: PictureFacts) -> bytes:
        found = self._recent.find(facts.digest)
        if found is not None:
            return found
        if self._waiting is not None and self._waiting.holds(facts):
            return self._waiting.open(facts).encoded
        data: bytes = self._persistently(lambda: self._files.cat_file(self._path(facts)))
        check(data, facts.digest, f"{self._url}/{name_of(facts)}")
        self._recent.put(facts.digest, data)
        return data

    def _persistently(self, call: Callable[[], T]) -> T:
        """The result, with retries until the time limit if a retry can help."""
        until, wait = time.monotonic() + self._patience_seconds, 0.2
        while True:
            try:
                return call()
            except FileNotFoundError:
                raise
            except Exception as error:  # every file system has its own exceptions
                self._raise_if_lasting(error)
                pause = random.uniform(wait / 2, wait)
                log.warning("%s cannot be reached (%s); retrying", self._url, _first_line(error))
                if time.monotonic() + pause > until:
                    raise self._unreachable(error) from error
            time.sleep(pause)
            wait = min(2 * wait, LONGEST_WAIT_SECONDS)

    def _unreachable(self, error: Exception) -> Unreachable:
        return Unreachable(
            f"{self._url} could not be reached for {self._patience_seconds:g} s ({_first_line(error)}); "
            "all finished work is saved. Rerun the command when it can"
        )

    def _raise_if_lasting(self, error: Exception) -> None:
        if getattr(error, "errno", None) in NO_ROOM:
            raise disk_full(self._url) from error
        if isinstance(error, PermissionError) or "Credentials" in type(error).__name__:
            raise WorkspaceError(
                f"no access to {self._url} ({_first_line(error)}); check the environment's credentials"
            ) from error


def _opened(url: str) -> tuple[Any, str]:
    try:
        from fsspec.core import url_to_fs

        files, root = url_to_fs(url, use_listings_cache=False)
    except ImportError as error:
        raise MissingExtra(getattr(error, "name", None) or "fsspec", "remote") from error
    except ValueError as error:
        raise WorkspaceError(f"cannot store pictures in {url}: {error}; try s3://bucket/folder") from error
    return files, root.rstrip("/")


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]
