"""The picture store: pictures named by their own digest, written whole or not at all."""

from __future__ import annotations

import errno
import itertools
import os
import shutil
import socket
import time
from collections.abc import Collection
from pathlib import Path
from typing import Protocol

from convergebench.errors import DiskFull, WorkspaceError
from convergebench.picture import SUFFIXES, Picture, digest_of
from convergebench.types import Digest, PictureFacts

RESERVE_BYTES = 32 * 1024 * 1024
"""Kept free, so that every edit already paid for still finds room."""
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)

ROOM_SECONDS = 1.0

_serial = itertools.count()


class PictureStore(Protocol):
    """Where pictures are kept; used by several threads at once."""

    @property
    def place(self) -> str:
        """Folder or URL under which another process finds the same pictures."""

    def prepare(self) -> None:
        """Get ready for being written to; WorkspaceError says why that cannot be."""

    def put(self, picture: Picture) -> None:
        """Keep the picture's bytes; when this returns they outlive the process."""

    def open(self, facts: PictureFacts) -> Picture:
        """The picture, read and checked when it is looked at."""

    def load(self, digest: Digest) -> Picture:
        """A picture of which only the digest is known."""

    def holds(self, facts: PictureFacts) -> bool: ...

    def ensure_room(self) -> None:
        """Say that nothing more can be kept before an edit is paid for, not after."""

    def sizes(self) -> dict[Digest, int]:
        """Every stored picture with its number of bytes."""

    def remove(self, digests: Collection[Digest]) -> None: ...


class PictureFolder:
    """Pictures as files of one folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._room_until = 0.0
        self._written = 0

    @property
    def place(self) -> str:
        return str(self._folder)

    def path(self, facts: PictureFacts) -> Path:
        return self._folder / name_of(facts)

    def put(self, picture: Picture) -> None:
        path = self.path(picture.facts)
        if path.exists():
            return
        incoming = self._incoming / f"{os.getpid()}-{next(_serial)}@{socket.gethostname()}"
        try:
            _write_through(incoming, picture.encoded)
            try:
                incoming.replace(path)
            except FileNotFoundError:
                path.parent.mkdir(exist_ok=True)
                incoming.replace(path)
            self._written += len(picture.encoded)
        except OSError as error:
            incoming.unlink(missing_ok=True)
            if error.errno in NO_ROOM:
                raise disk_full(self._folder) from error
            raise WorkspaceError(f"cannot write to {path.parent}: {error.strerror}") from error

    def open(self, facts: PictureFacts) -> Picture:
        return Picture(facts, load=lambda: _checked(self.path(facts), facts.digest), kept_in=self)

    def load(self, digest: Digest) -> Picture:
        for path in (self._folder / digest[:2]).glob(f"{digest}.*"):
            return Picture.from_bytes(_checked(path, digest))
        raise WorkspaceError(f"picture {digest} is not in {self._folder}")

    def holds(self, facts: PictureFacts) -> bool:
        return self.path(facts).exists()

    def ensure_room(self) -> None:
        """The disk is looked at once a second, and sooner when much was written since."""
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

    def prepare(self) -> None:
        """Make the folders; drop what processes that are gone left half-written."""
        self._incoming.mkdir(parents=True, exist_ok=True)
        for leftover in self._incoming.iterdir():
            process, _, host = leftover.name.partition("@")
            number = process.partition("-")[0]
            is_ours = number.isdecimal() and host in ("", socket.gethostname())  # of others' we know nothing
            if is_ours and not _is_running(int(number)):
                leftover.unlink(missing_ok=True)

    @property
    def _incoming(self) -> Path:
        return self._folder / "incoming"


def name_of(facts: PictureFacts) -> str:
    """Where in a store a picture lies.

    >>> name_of(PictureFacts("ab12", 1, 1, "image/png"))
    'ab/ab12.png'
    """
    return f"{facts.digest[:2]}/{facts.digest}{SUFFIXES[facts.media_type]}"


def _checked(path: Path, digest: Digest) -> bytes:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise WorkspaceError(f"picture {path} cannot be read: {error.strerror}") from error
    check(data, digest, str(path))
    return data


def check(data: bytes, digest: Digest, where: str) -> None:
    if digest_of(data) != digest:
        raise WorkspaceError(f"picture {where} is damaged: its content is not what was stored")


def _write_through(path: Path, data: bytes) -> None:
    """Write a new file and see it to the disk. In as few calls as can be: after each of them a thread waits
    for its turn again, and with many edits at a time these waits add up."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(file, rest) :]
        os.fsync(file)
    finally:
        os.close(file)


def disk_full(folder: Path | str) -> DiskFull:
    return DiskFull(
        f"the disk that holds {folder} is full; all finished work is saved. "
        "Free some space and rerun the command to continue."
    )


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
