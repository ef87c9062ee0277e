"""What registers itself: the modules of a package, and what other installed packages add by entry points."""

from __future__ import annotations

import logging
import pkgutil
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol, TypeVar

from convergebench.errors import ConvergeBenchError, WrongUse

BENCHMARKS = "convergebench.benchmarks"
PROTOCOLS = "convergebench.protocols"
SUITES = "convergebench.suites"

T = TypeVar("T")

_log = logging.getLogger("convergebench")


class Registered(Protocol):
    @property
    def key(self) -> str: ...


Member = TypeVar("Member", bound=Registered)


def import_modules(package: str) -> Iterator[ModuleType]:
    """The public modules of a package, imported in alphabetical order."""
    for module in pkgutil.iter_modules(import_module(package).__path__):
        if not module.name.startswith("_"):
            yield import_module(f"{package}.{module.name}")


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


def load_required(entry: EntryPoint) -> Any:
    """The entry point's object. Raises WrongUse where results without this plug-in would be incomplete."""
    try:
        return entry.load()
    except ConvergeBenchError:
        raise
    except Exception as error:
        raise WrongUse(
            f"the plug-in {entry.name!r} ({entry.value}) cannot be loaded: {error}; repair or uninstall it"
        ) from error


def registered(package: str, group: str, kind: type[Member]) -> tuple[Member, ...]:
    """All members: each public module of the package has a tuple MEMBERS, and each entry point of the group
    names a member or a tuple of them. Keys must be unique."""
    found = [
        *(one for module in import_modules(package) for one in module.MEMBERS),
        *(one for entry in entry_points_of(group) for one in _members(entry, kind)),
    ]
    twice = [key for key, count in Counter(one.key for one in found).items() if count > 1]
    if twice:
        raise WrongUse(f"{twice[0]!r} is registered twice under {group}; rename or uninstall one of the two")
    return tuple(found)


def _members(entry: EntryPoint, kind: type[Member]) -> tuple[Member, ...]:
    loaded = load_required(entry)
    members = loaded if isinstance(loaded, tuple) else (loaded,)
    if not all(isinstance(one, kind) for one in members):
        raise WrongUse(
            f"the plug-in {entry.name!r} ({entry.value}) is not a {kind.__name__}; repair or uninstall it"
        )
    return members


def folders_beside(group: str, name: str) -> Iterator[Path]:
    """The folders of this name beside the entry points' modules, which are not imported."""
    for entry in entry_points_of(group):
        try:
            module = find_spec(entry.module)
        except ImportError:
            continue  # `installed` warns
        if module is not None and module.origin is not None:
            yield Path(module.origin).parent / name
