"""What other installed packages add, by entry points."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

BENCHMARKS = "convergebench.benchmarks"
PROTOCOLS = "convergebench.protocols"
SUITES = "convergebench.suites"

T = TypeVar("T")

_log = logging.getLogger("convergebench")


def entry_points_of(group: str) -> tuple[EntryPoint, ...]:
    return tuple(_entry_points(tuple(sys.path)).select(group=group))


@cache
def _entry_points(path: tuple[str, ...]) -> Any:
    """All of them, read once, since reading every package's metadata takes a while. Their type has another
    name since Python 3.12, and a `select` in every version."""
    return entry_points()


def installed(group: str) -> Iterator[tuple[str, Any]]:
    """The entry points' names and objects. One that cannot be imported is skipped with a warning, so that a
    broken plug-in does not disable the others."""
    for entry in entry_points_of(group):
        try:
            found = entry.load()
        except Exception as error:
            _log.warning("%s %s cannot be imported (%s); it is skipped", group, entry.name, error)
            continue
        yield entry.name, found


def installed_of(group: str, kind: type[T]) -> Iterator[T]:
    """The entry points' objects of this type; others are skipped with a warning."""
    for name, found in installed(group):
        if isinstance(found, kind):
            yield found
        else:
            _log.warning("%s %s is not a %s; it is skipped", group, name, kind.__name__)


def folders_beside(group: str, name: str) -> Iterator[Path]:
    """The folders of this name beside the entry points' modules, which are not imported."""
    for entry in entry_points_of(group):
        try:
            module = find_spec(entry.module)
        except ImportError:
            continue  # `installed` warns
        if module is not None and module.origin is not None:
            yield Path(module.origin).parent / name
