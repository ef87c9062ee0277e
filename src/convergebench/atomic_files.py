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
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=prefix, suffix=path.suffix)
    except OSError as error:
        error.filename = str(path)  # the name that a person knows
        raise
    os.close(handle)
    part = Path(name)
    # mkstemp keeps others out; a report is for others to read.
    part.chmod(0o644)
    try:
        yield part
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def write_whole(path: str, content: bytes) -> None:
    """The same for content that is at hand, for tens of thousands of files: with few system calls, and with
    texts, because paths take longer to join than the file to write."""
    folder, _, name = path.rpartition("/")
    stem, dot, suffix = name.rpartition(".")
    remove_leftovers(folder)
    part = f"{folder}/.{stem[:_LONGEST_STEM]}{_owner()}{next(_serial) % 16**8:08x}{dot}{suffix}"
    try:
        try:
            _write(part, content)
        except FileNotFoundError:
            Path(folder).mkdir(parents=True, exist_ok=True)
            _write(part, content)
        os.replace(part, path)  # noqa: PTH105
    except OSError:
        Path(part).unlink(missing_ok=True)
        raise


def _write(path: str, content: bytes) -> None:
    with open(path, "wb", buffering=0) as file:  # noqa: PTH123
        rest = memoryview(content)
        while rest:
            rest = rest[file.write(rest) :]


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
def remove_leftovers(folder: Path | str) -> None:
    """Remove what processes left here that have ended; each folder is searched once."""
    with suppress(OSError):
        for path in Path(folder).iterdir():
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
    return f"-{os.getpid()}@{_host()}-"


@cache
def _host() -> str:
    return socket.gethostname()
