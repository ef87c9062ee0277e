"""The picture store: pictures named by their digest, written atomically."""

from __future__ import annotations

import errno
import itertools
import os
import shutil
import socket
import time
from collections.abc import Callable, Collection, Sequence
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

    @property
    def writers(self) -> int:
        """Groups of pictures that should be stored at a time."""

    @property
    def place(self) -> str:
        """Folder or URL under which another process finds the same pictures."""

    def prepare(self) -> None:
        """Prepare for writing; raises WorkspaceError if that is impossible."""

    def put(self, picture: Picture) -> None:
        """Store the picture's bytes durably."""

    def put_all(self, pictures: Sequence[Picture]) -> list[Exception | None]:
        """The same for several: the error of each, which does not affect the others."""

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

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.place = str(folder)
        self._room_until = 0.0
        self._written = 0

    def path(self, facts: PictureFacts) -> Path:
        return self._folder / name_of(facts)

    @property
    def writers(self) -> int:
        """A disk completes several writes together. In C, each group is written by threads of its own."""
        return 1 if kernels.can_write_files() else 8

    def put(self, picture: Picture) -> None:
        (error,) = self.put_all([picture])
        if error is not None:
            raise error

    def put_all(self, pictures: Sequence[Picture]) -> list[Exception | None]:
        errors: list[Exception | None] = [None] * len(pictures)
        files: dict[int, kernels.NewFile] = {}
        for place, picture in enumerate(pictures):
            try:
                if not self._was_stored_elsewhere(picture):
                    files[place] = self._new_file(picture)
            except Exception as error:  # reading it may fail in many ways
                errors[place] = error
        for (place, file), number in zip(files.items(), _write_new(list(files.values())), strict=True):
            errors[place] = self._completed(file, number)
            if errors[place] is None:
                pictures[place].release_encoded(self._reader(pictures[place].facts))
        return errors

    def _reader(self, facts: PictureFacts) -> Callable[[], bytes]:
        return lambda: _checked(str(self.path(facts)), facts.digest)

    def _was_stored_elsewhere(self, picture: Picture) -> bool:
        """By another process: reading it back would take longer than all the rest."""
        return not picture.is_read and self.path(picture.facts).exists()

    def _new_file(self, picture: Picture) -> kernels.NewFile:
        # As texts: paths take longer to join.
        incoming = f"{self.place}/{_INCOMING}/{os.getpid()}-{next(_serial)}@{_host()}"
        return kernels.NewFile(incoming, f"{self.place}/{name_of(picture.facts)}", picture.content)

    def _completed(self, file: kernels.NewFile, number: int) -> Exception | None:
        """Why it could not be written, by the number of the error; None if it is there."""
        try:
            if number == errno.ENOENT:
                Path(file.path).parent.mkdir(exist_ok=True)
                Path(file.part).replace(file.path)
            elif number > 0:
                raise OSError(number, os.strerror(number), file.part)
            self._written += len(file.content) if number != kernels.NAME_TAKEN else 0
        except OSError as error:
            Path(file.part).unlink(missing_ok=True)
            if error.errno in NO_ROOM:
                return _because(disk_full(self._folder), error)
            folder = Path(file.path).parent
            return _because(WorkspaceError(f"cannot write to {folder}: {error.strerror}"), error)
        return None

    def open(self, facts: PictureFacts) -> Picture:
        return Picture(facts, load=self._reader(facts), kept_in=self)

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


def _write_new(files: Sequence[kernels.NewFile]) -> list[int]:
    """Write new files durably and rename them: the number of each one's error, as `kernels.write_files`."""
    if not files:
        return []
    return kernels.write_files(files) if kernels.can_write_files() else [_write_one(file) for file in files]


def _write_one(file: kernels.NewFile) -> int:
    if Path(file.path).exists():
        return kernels.NAME_TAKEN
    try:
        handle = os.open(file.part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        try:
            rest = memoryview(file.content)
            while rest:
                rest = rest[os.write(handle, rest) :]
            os.fsync(handle)
        finally:
            os.close(handle)
        Path(file.part).replace(file.path)
    except OSError as error:
        return error.errno or errno.EIO
    return 0


def _because(error: WorkspaceError, cause: OSError) -> WorkspaceError:
    error.__cause__ = cause
    return error


@cache
def _host() -> str:
    return socket.gethostname()


def disk_full(folder: Path | str) -> DiskFull:
    return DiskFull(
        f"the disk that holds {folder} is full; all finished work is saved. "
        "Free some space and rerun the command to continue."
    )
