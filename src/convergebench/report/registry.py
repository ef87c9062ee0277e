"""What registers itself: in a package's own modules, and in other installed packages by an entry point."""

from __future__ import annotations

import importlib
import pkgutil
from collections import Counter
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from typing import Any, Protocol, TypeVar

from convergebench import plugins
from convergebench.errors import ConvergeBenchError, WrongUse


class Registered(Protocol):
    @property
    def key(self) -> str: ...


Member = TypeVar("Member", bound=Registered)


def registered(package: str, group: str, kind: type[Member]) -> tuple[Member, ...]:
    """Every member: each public module of the package has a tuple MEMBERS, and each entry point of the group
    names a member or a tuple of them. No two have the same key."""
    found = [
        *_own(package),
        *(one for plugin in plugins.entry_points_of(group) for one in _members(plugin, kind)),
    ]
    twice = [key for key, count in Counter(one.key for one in found).items() if count > 1]
    if twice:
        raise WrongUse(f"{twice[0]!r} is registered twice under {group}; rename or uninstall one of the two")
    return tuple(found)


def _own(package: str) -> Iterator[Any]:
    for module in pkgutil.iter_modules(importlib.import_module(package).__path__):
        if not module.name.startswith("_"):
            yield from importlib.import_module(f"{package}.{module.name}").MEMBERS


def _members(plugin: EntryPoint, kind: type[Member]) -> tuple[Member, ...]:
    try:
        loaded = plugin.load()
    except ConvergeBenchError:
        raise
    except Exception as error:
        raise WrongUse(
            f"the plug-in {plugin.name!r} ({plugin.value}) cannot be loaded: {error}; repair or uninstall it"
        ) from error
    members = loaded if isinstance(loaded, tuple) else (loaded,)
    if not all(isinstance(one, kind) for one in members):
        raise WrongUse(
            f"the plug-in {plugin.name!r} ({plugin.value}) is no {kind.__name__}; repair or uninstall it"
        )
    return members
