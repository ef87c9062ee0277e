"""Protocols by name, each with the cases that it needs.

A protocol is a module of this package that declares itself with `@protocol()`, or a module of another package
that is named under the entry point group `convergebench.protocols`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from convergebench import plugins
from convergebench.errors import WrongUse, unknown_name
from convergebench.protocols.base import ChosenCases, EditingProtocol, ProtocolDeclaration, declarations
from convergebench.types import Case


@dataclass(frozen=True)
class ProtocolCases:
    """A protocol, and the cases it runs on."""

    protocol: EditingProtocol
    cases: tuple[Case, ...]
    part: str
    """Follows the suite's name, so that results are never mixed with those of another protocol."""


def names() -> tuple[str, ...]:
    return tuple(_protocols())


def returning() -> tuple[str, ...]:
    """The protocols that return to the source, so that preservation can be measured."""
    return tuple(name for name, one in _protocols().items() if one.returns)


@cache
def return_roles() -> frozenset[str]:
    """The roles of steps whose pictures should equal the source; no protocol uses them for anything else."""
    return frozenset().union(*(one.returns for one in _protocols().values()))


def protocol_cases(name: str, rounds: int, cases: Sequence[Case], suite: Sequence[Case]) -> ProtocolCases:
    """The protocol of this name for these cases of a suite.

    Without a name it is the round trip, or a single edit if nothing can be undone. Settings follow the name,
    as in `sequence?edits=2`.
    """
    plain, _, query = name.partition("?")
    declared = _protocol(plain or _default(cases))
    if declared.undoes and any(case.backward is None for case in cases):
        others = " or ".join(one.name for one in _protocols().values() if not one.undoes)
        raise WrongUse(f"{declared.name} needs edits that can be undone, and these cannot; choose {others}")
    if declared.by_turn and not any(case.turns for case in cases):
        raise WrongUse(f"{declared.name} needs sessions of several turns; choose a suite that has them")
    settings = _settings(declared, query)
    values = map(str, settings.values())
    part = "-".join((declared.name, *values)) if declared.part is None else declared.part
    chosen = ChosenCases(tuple(cases), suite, part, settings)
    return ProtocolCases(declared.build(rounds, settings), declared.cases(chosen), part)


def _default(cases: Sequence[Case]) -> str:
    if any(len(case.turns) > 1 or any(turn.mask for turn in case.turns) for case in cases):
        return "session"
    return "round_trip" if any(case.backward is not None for case in cases) else "one_shot"


def by_turn() -> tuple[str, ...]:
    """The protocols whose trajectories are scored turn by turn."""
    return tuple(name for name, one in _protocols().items() if one.by_turn)


def _protocol(name: str) -> ProtocolDeclaration:
    known = _protocols()
    if name in known:
        return known[name]
    raise unknown_name("protocol", name, known)


def _settings(declared: ProtocolDeclaration, query: str) -> dict[str, int]:
    """The settings after the question mark, with defaults for missing ones."""
    settings = declared.settings
    if query and not settings:
        raise WrongUse(f"{declared.name} has no setting; write it without {'?' + query!r}")
    for part in query.split("&") if query else ():
        key, _, value = part.partition("=")
        if key not in settings or not value.isdigit() or int(value) < 1:
            takes = ", ".join(f"{one}=N" for one in settings)
            raise WrongUse(f"{declared.name} takes {takes} with N at least 1, not {part!r}")
        settings[key] = int(value)
    return settings


@cache
def _protocols() -> Mapping[str, ProtocolDeclaration]:
    """By name, in alphabetical order."""
    for _ in (*plugins.import_modules(__package__), *plugins.installed(plugins.PROTOCOLS)):
        pass  # importing a module declares its protocols
    return dict(sorted(declarations().items()))
