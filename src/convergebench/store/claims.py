"""Claims on work: byte locks on one file, which end with the process that holds them."""

from __future__ import annotations

import contextlib
import fcntl
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

POLL_SECONDS = 0.1
"""The interval between attempts to claim."""
_MAKING = 0
"""Byte zero is locked while a workspace is created; trajectories start at one."""


class Claims:
    """A workspace's claims. A process has one of these for each file, however often and by whatever path it
    opens the workspace: the system gives such locks to processes, and drops them all when the file is closed
    once."""

    _of_file: ClassVar[dict[tuple[int, int], Claims]] = {}
    _guard = threading.Lock()

    def __init__(self, folder: Path) -> None:
        self._file = (folder / "claims").open("ab")
        self._held: set[int] = set()
        self._is_alone = False
        self._one_thread = threading.Lock()

    @classmethod
    def of(cls, folder: Path) -> Claims:
        path = folder / "claims"
        with cls._guard:
            if not path.exists():
                path.open("ab").close()
            file = path.stat()
            identity = file.st_dev, file.st_ino
            if identity not in cls._of_file:
                cls._of_file[identity] = cls(folder)
            return cls._of_file[identity]

    def take(self, trajectory: int) -> bool:
        """Whether it was free, and is now held by this process."""
        with self._guard:
            if self._is_alone or trajectory in self._held:
                return False
            try:
                fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, trajectory)
            except OSError:
                return False
            self._held.add(trajectory)
            return True

    def release(self, trajectory: int) -> None:
        with self._guard:
            fcntl.lockf(self._file, fcntl.LOCK_UN, 1, trajectory)
            self._held.discard(trajectory)

    @contextlib.contextmanager
    def alone(self) -> Iterator[bool]:
        """Hold every claim, so that nobody can begin any work; false if somebody is working."""
        if not self._take_all():
            yield False
            return
        try:
            yield True
        finally:
            with self._guard:
                fcntl.lockf(self._file, fcntl.LOCK_UN, 0, _MAKING)
                self._is_alone = False

    def _take_all(self) -> bool:
        """Not while this process holds any: letting go of all bytes would release those, too."""
        with self._guard:
            if self._is_alone or self._held:
                return False
            try:
                fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 0, _MAKING)
            except OSError:
                return False
            self._is_alone = True
            return True

    @contextlib.contextmanager
    def making(self) -> Iterator[None]:
        """One process at a time, and one thread of it."""
        with self._one_thread:
            fcntl.lockf(self._file, fcntl.LOCK_EX, 1, _MAKING)
            try:
                yield
            finally:
                fcntl.lockf(self._file, fcntl.LOCK_UN, 1, _MAKING)
