"""The definition of a protocol: a coroutine over one case, and its declaration."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from typing import Any, TypeVar

from convergebench.errors import WrongUse
from convergebench.suites.chained_cases import chained
from convergebench.types import Case, Edit

MOST_ROUNDS = 10_000
"""Of a trajectory, and of repetitions; more is a slip of the keyboard."""


@dataclass(frozen=True)
class EditingProtocol:
    """How an editor is exercised on a case. It must request the same edits in every run, since finished edits
    are replayed from the store."""

    name: str
    run: Callable[[Case, Edit], Awaitable[None]]
    rounds: int
    edits: int
    """The number of edits in a complete trajectory."""
    returns: frozenset[str]
    """The roles whose pictures should equal the source, and are compared with it."""
    by_turn: bool = False
    """Whether a trajectory has one edit for each turn of its case, instead of a fixed number."""

    def edits_of(self, case: Case) -> int:
        """The number of edits in a complete trajectory of this case."""
        return len(case.turns) if self.by_turn else self.edits

    def rounds_of(self, case: Case) -> int:
        return len(case.turns) if self.by_turn else self.rounds


@dataclass(frozen=True)
class ChosenCases:
    """The cases chosen for a run; a protocol builds its own cases from them."""

    cases: tuple[Case, ...]
    suite: Sequence[Case]
    """All cases of the suite."""
    part: str
    """Follows the suite's name, so that results are never mixed with those of another protocol."""
    settings: Mapping[str, int]

    def chained(self, length: int) -> tuple[Case, ...]:
        """Cases that make `length` edits of one picture together."""
        cases = chained(self.cases, self.suite, length, self.part)
        if not cases:
            raise WrongUse(
                f"no picture has {length} edits that can be made together; choose fewer, or round_trip"
            )
        return cases


Factory = TypeVar("Factory", bound=Callable[..., EditingProtocol])


@dataclass(frozen=True)
class ProtocolDeclaration:
    """A protocol by name, and its properties."""

    name: str
    factory: Callable[..., EditingProtocol]
    """Takes `rounds` if there can be several, and the settings: integers of at least 1."""
    cases: Callable[[ChosenCases], tuple[Case, ...]]
    part: str | None
    undoes: bool
    by_turn: bool

    @property
    def settings(self) -> dict[str, int]:
        """The settings with their defaults, as in `sequence?edits=3`."""
        parameters = signature(self.factory).parameters.values()
        return {one.name: one.default for one in parameters if one.name != "rounds"}

    @property
    def returns(self) -> frozenset[str]:
        return self.build(1, self.settings).returns

    def build(self, rounds: int, settings: Mapping[str, int]) -> EditingProtocol:
        arguments: dict[str, Any] = dict(settings)
        if "rounds" in signature(self.factory).parameters:
            arguments["rounds"] = rounds
        return self.factory(**arguments)


_declared: dict[str, ProtocolDeclaration] = {}


def protocol(
    *,
    cases: Callable[[ChosenCases], tuple[Case, ...]] = lambda chosen: chosen.cases,
    part: str | None = None,
    undoes: bool = True,
    by_turn: bool = False,
) -> Callable[[Factory], Factory]:
    """Declare the factory of a protocol, under the factory's name.

    `cases` builds the protocol's cases from the chosen ones. `part` follows the suite's name in results; it
    defaults to the protocol's name and the values of its settings. `undoes` declares that the protocol needs
    reversible cases, `by_turn` that it needs cases with turns.
    """

    def declare(factory: Factory) -> Factory:
        name = factory.__name__
        if name in _declared:
            raise WrongUse(f"two protocols are called {name!r}; rename or uninstall one of them")
        _declared[name] = ProtocolDeclaration(name, factory, cases, part, undoes, by_turn)
        return factory

    return declare


def declarations() -> Mapping[str, ProtocolDeclaration]:
    """The protocols declared so far; `convergebench.protocols.registry` has all."""
    return _declared


def is_forward(role: str) -> bool:
    """Whether a step of this role makes an edit that is undone later: forward, forward_2, …"""
    return role == "forward" or role.startswith("forward_")


TURN, PASS, INDEPENDENT = "turn", "pass", "independent"
TURN_ROLES = (TURN, PASS, INDEPENDENT)
"""Roles of the steps of sessions: on the last result; all turns so far on the source; on the true picture."""


def is_undoing(role: str) -> bool:
    """Whether it undoes one of several edits and is not back at the source yet: undo, undo_2, …"""
    return role.partition("_")[0] == "undo"
