"""Files that appear whole or not at all. What a killed process leaves is removed when the next one writes to
the same folder."""

from __future__ import annotations

import itertools
import os
import re
import shutil
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

PREFIX = "convergebench-"
_LONGEST_STEM = 80
_serial = itertools.count()
_OF_PROCESS = re.compile(r"-(?P<process>\d+)@(?P<host>.+)-[a-z0-9_]{8}(\.\w+)?$")


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A path to write to, with the same suffix; it takes the place of `path` if nothing goes wrong."""
    path.parent.mkdir(parents=True, exist_ok=True)
    remove_leftovers(path.parent)
    prefix = f".{path.stem[:_LONGEST_STEM]}{_owner()}"
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=prefix, suffix=path.suffix)
    os.close(handle)
    part = Path(name)
    # mkstemp keeps others out; a report is for others to read.
    part.chmod(0o644)
    try:
        yield part
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def write_whole(path: Path, content: bytes) -> None:
    """The same for content that is at hand: a third of the system calls, for tens of thousands of files."""
    remove_leftovers(path.parent)
    part = path.with_name(f".{path.stem[:_LONGEST_STEM]}{_owner()}{next(_serial) % 16**8:08x}{path.suffix}")
    try:
        try:
            part.write_bytes(content)
        except FileNotFoundError:
            path.parent.mkdir(parents=True, exist_ok=True)
            part.write_bytes(content)
        part.replace(path)
    except OSError:
        part.unlink(missing_ok=True)
        raise


def new_temporary_folder(purpose: str) -> Path:
    """A folder in the system's place for such things. Whoever makes it removes it."""
    place = Path(tempfile.gettempdir())
    remove_leftovers(place)
    return Path(tempfile.mkdtemp(dir=place, prefix=f"{PREFIX}{purpose}{_owner()}"))


@contextmanager
def temporary_folder(purpose: str) -> Iterator[Path]:
    """The same, removed in the end."""
    folder = new_temporary_folder(purpose)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@cache
def remove_leftovers(folder: Path) -> None:
    """Remove what processes left here that have ended; each folder is searched once."""
    with suppress(OSError):
        for path in folder.iterdir():
            found = _OF_PROCESS.search(path.name) if path.name.startswith((".", PREFIX)) else None
            if found is None or not has_ended(int(found["process"]), found["host"]):
                continue
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)


def has_ended(process: int, host: str) -> bool:
    """Whether no process of this number runs on this machine; one on another machine may still be running."""
    if host not in ("", socket.gethostname()):
        return False
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return True
    except PermissionError:
        return False
    return False


def _owner() -> str:
    return f"-{os.getpid()}@{socket.gethostname()}-"
