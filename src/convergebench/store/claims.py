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
    """A workspace's claims. A process has one of these for each folder, however often it opens the workspace:
    the system gives such locks to processes, and drops them all when the file is closed once."""

    _of_folder: ClassVar[dict[Path, Claims]] = {}
    _guard = threading.Lock()

    def __init__(self, folder: Path) -> None:
        self._file = (folder / "claims").open("ab")
        self._held: set[int] = set()

    @classmethod
    def of(cls, folder: Path) -> Claims:
        with cls._guard:
            if folder not in cls._of_folder or not (folder / "claims").exists():
                cls._of_folder[folder] = cls(folder)
            return cls._of_folder[folder]

    def take(self, trajectory: int) -> bool:
        """Whether it was free, and is now held by this process."""
        with self._guard:
            if trajectory in self._held:
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
        try:
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 0, _MAKING)
        except OSError:
            yield False
            return
        try:
            yield not self._held
        finally:
            fcntl.lockf(self._file, fcntl.LOCK_UN, 0, _MAKING)

    @contextlib.contextmanager
    def making(self) -> Iterator[None]:
        """One process at a time."""
        fcntl.lockf(self._file, fcntl.LOCK_EX, 1, _MAKING)
        try:
            yield
        finally:
            fcntl.lockf(self._file, fcntl.LOCK_UN, 1, _MAKING)
