"""The picture store: pictures named by their digest, written atomically."""

from __future__ import annotations

import itertools
import os
import shutil
import socket
import time
from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import Protocol

from convergebench import kernels
from convergebench.atomic_files import has_ended
from convergebench.errors import NO_ROOM, DiskFull, LostPicture, WorkspaceError
from convergebench.picture import SUFFIXES, Picture, digest_of
from convergebench.types import Digest, PictureFacts

RESERVE_BYTES = 32 * 1024 * 1024
"""Reserved space, so that every edit already paid for can be stored."""

ROOM_SECONDS = 1.0
REPAIR = "convergebench workspace repair says what can be done"

_INCOMING = "incoming"
_serial = itertools.count()


class PictureStore(Protocol):
    """Stores pictures; used by several threads at once."""

    writers: int
    """Threads that should store pictures at a time."""

    @property
    def place(self) -> str:
        """Folder or URL under which another process finds the same pictures."""

    def prepare(self) -> None:
        """Prepare for writing; raises WorkspaceError if that is impossible."""

    def put(self, picture: Picture) -> None:
        """Store the picture's bytes durably."""

    def open(self, facts: PictureFacts) -> Picture:
        """The picture, read and verified on first use."""

    def load(self, digest: Digest) -> Picture:
        """The picture with this digest."""

    def holds(self, facts: PictureFacts) -> bool: ...

    def ensure_room(self) -> None:
        """Raise an error if no more pictures can be stored; called before an edit is paid for."""

    def sizes(self) -> dict[Digest, int]:
        """Every stored picture with its number of bytes."""

    def remove(self, digests: Collection[Digest]) -> None: ...

    def set_aside(self, digests: Collection[Digest]) -> None:
        """Take damaged pictures out of the store, so that they can be stored again."""


class PictureFolder:
    """Pictures as files of one folder."""

    writers = 8
    """A disk completes several writes together; more threads would only take time from each other."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.place = str(folder)
        self._room_until = 0.0
        self._written = 0

    def path(self, facts: PictureFacts) -> Path:
        return self._folder / name_of(facts)

    def put(self, picture: Picture) -> None:
        # As texts: paths take longer to join.
        path = f"{self.place}/{name_of(picture.facts)}"
        if not picture.is_read and Path(path).exists():
            return  # another process stored it; reading it back would take longer than all the rest
        incoming = f"{self.place}/{_INCOMING}/{os.getpid()}-{next(_serial)}@{_host()}"
        try:
            try:
                is_new = _write_new(incoming, path, picture.encoded)
            except FileNotFoundError:
                Path(path).parent.mkdir(exist_ok=True)
                Path(incoming).replace(path)
                is_new = True
            self._written += len(picture.encoded) if is_new else 0
        except OSError as error:
            Path(incoming).unlink(missing_ok=True)
            if error.errno in NO_ROOM:
                raise disk_full(self._folder) from error
            raise WorkspaceError(f"cannot write to {Path(path).parent}: {error.strerror}") from error

    def open(self, facts: PictureFacts) -> Picture:
        return Picture(facts, load=lambda: _checked(str(self.path(facts)), facts.digest), kept_in=self)

    def load(self, digest: Digest) -> Picture:
        for suffix in SUFFIXES.values():  # listing a large folder takes longer than trying each
            path = f"{self.place}/{digest[:2]}/{digest}{suffix}"
            if os.path.exists(path):  # noqa: PTH110 - a report loads tens of thousands
                return Picture.from_bytes(_checked(path, digest), digest)
        raise LostPicture(f"picture {digest} is not in {self._folder}; {REPAIR}")

    def holds(self, facts: PictureFacts) -> bool:
        return self.path(facts).exists()

    def ensure_room(self) -> None:
        """The disk is checked once per second, and sooner after many writes."""
        now = time.monotonic()
        if now < self._room_until and self._written < RESERVE_BYTES // 4:
            return
        if shutil.disk_usage(self._folder).free < RESERVE_BYTES:
            raise disk_full(self._folder)
        self._room_until, self._written = now + ROOM_SECONDS, 0

    def sizes(self) -> dict[Digest, int]:
        return {path.stem: path.stat().st_size for path in self._folder.glob("??/*")}

    def remove(self, digests: Collection[Digest]) -> None:
        for digest in digests:
            for path in (self._folder / digest[:2]).glob(f"{digest}.*"):
                path.unlink(missing_ok=True)

    def set_aside(self, digests: Collection[Digest]) -> None:
        """They are kept in the folder `damaged`."""
        aside = self._folder / "damaged"
        for digest in digests:
            for path in (self._folder / digest[:2]).glob(f"{digest}.*"):
                aside.mkdir(exist_ok=True)
                path.replace(aside / path.name)

    def prepare(self) -> None:
        """Create the folders; remove incomplete files of processes that have ended."""
        self._incoming.mkdir(parents=True, exist_ok=True)
        for leftover in self._incoming.iterdir():
            process, _, host = leftover.name.partition("@")
            number = process.partition("-")[0]
            if number.isdecimal() and has_ended(int(number), host):
                leftover.unlink(missing_ok=True)

    @property
    def _incoming(self) -> Path:
        return self._folder / _INCOMING


def name_of(facts: PictureFacts) -> str:
    """The path of a picture in a store.

    >>> name_of(PictureFacts("ab12", 1, 1, "image/png"))
    'ab/ab12.png'
    """
    return f"{facts.digest[:2]}/{facts.digest}{SUFFIXES[facts.media_type]}"


def _checked(path: str, digest: Digest) -> bytes:
    try:
        with open(path, "rb", buffering=0) as file:  # noqa: PTH123
            data = file.read()
    except OSError as error:
        raise LostPicture(f"picture {path} cannot be read: {error.strerror}; {REPAIR}") from error
    check(data, digest, path)
    return data


def check(data: bytes, digest: Digest, where: str) -> None:
    if digest_of(data) != digest:
        raise LostPicture(f"picture {where} is damaged: its content is not what was stored; {REPAIR}")


def _write_new(incoming: str, path: str, data: bytes) -> bool:
    """Write a new file durably and rename it to `path`; false if there is one already."""
    if kernels.can_write_files():
        return kernels.write_file(incoming, path, data)
    if Path(path).exists():
        return False
    file = os.open(incoming, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(file, rest) :]
        os.fsync(file)
    finally:
        os.close(file)
    Path(incoming).replace(path)
    return True


@cache
def _host() -> str:
    return socket.gethostname()


def disk_full(folder: Path | str) -> DiskFull:
    return DiskFull(
        f"the disk that holds {folder} is full; all finished work is saved. "
        "Free some space and rerun the command to continue."
    )
