"""Protocols by name, each with the cases that it needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from convergebench.errors import WrongUse, unknown_name
from convergebench.protocols.base import EditingProtocol
from convergebench.protocols.cross_edit import cross_edit, cross_edit_swapped
from convergebench.protocols.one_shot import one_shot
from convergebench.protocols.round_trip import round_trip
from convergebench.protocols.sequence import sequence
from convergebench.protocols.stay import stay
from convergebench.suites.chained_cases import chained, staying
from convergebench.types import Case

NAMES = ("round_trip", "cross_edit", "cross_edit_swapped", "sequence", "stay", "one_shot")
RETURNING = ("round_trip", "cross_edit", "cross_edit_swapped", "sequence", "stay")
"""Those that come back to the source, so that what is left of it can be measured."""
RETURN_ROLES: frozenset[str] = round_trip(1).returns | cross_edit(1).returns | stay(1).returns
"""The roles of steps whose pictures should equal the source; no protocol uses them for anything else."""
_LENGTH = 3


@dataclass(frozen=True)
class ProtocolCases:
    """A protocol, and what it is run on."""

    protocol: EditingProtocol
    cases: tuple[Case, ...]
    part: str
    """Stands behind the suite's name, so that results are never mixed with those of its round trips."""


def protocol_cases(name: str, rounds: int, cases: Sequence[Case], suite: Sequence[Case]) -> ProtocolCases:
    """The protocol of this name for these cases of a suite.

    Without a name it is the round trip, or a single edit where nothing can be undone. A sequence is of three
    edits, or of as many as `sequence?edits=N` says.
    """
    plain, _, setting = name.partition("?")
    can_be_undone = all(case.backward is not None for case in cases)
    if not plain:
        plain = "round_trip" if any(case.backward is not None for case in cases) else "one_shot"
    if plain not in NAMES:
        raise unknown_name("protocol", plain, NAMES)
    if setting and plain != "sequence":
        raise WrongUse(f"{plain} has no setting; write it without {'?' + setting!r}")
    if not can_be_undone and plain not in ("stay", "one_shot"):
        raise WrongUse(f"{plain} needs edits that can be undone, and these cannot; choose stay or one_shot")
    length = _length(setting)
    build: dict[str, Callable[[], ProtocolCases]] = {
        "round_trip": lambda: ProtocolCases(round_trip(rounds), tuple(cases), ""),
        "one_shot": lambda: ProtocolCases(one_shot(), tuple(cases), ""),
        "stay": lambda: ProtocolCases(stay(rounds), staying(cases), "stay"),
        "cross_edit": lambda: _chain(cross_edit(rounds), 2, cases, suite),
        "cross_edit_swapped": lambda: _chain(cross_edit_swapped(rounds), 2, cases, suite),
        "sequence": lambda: _chain(sequence(rounds, length), length, cases, suite, f"sequence-{length}"),
    }
    return build[plain]()


def _chain(
    protocol: EditingProtocol, length: int, cases: Sequence[Case], suite: Sequence[Case], part: str = ""
) -> ProtocolCases:
    made = chained(cases, suite, length, part or protocol.name)
    if not made:
        raise WrongUse(
            f"no picture has {length} edits that can be made together; choose fewer, or round_trip"
        )
    return ProtocolCases(protocol, made, part or protocol.name)


def _length(setting: str) -> int:
    key, _, value = setting.partition("=")
    if not setting:
        return _LENGTH
    if key != "edits" or not value.isdigit() or int(value) < 1:
        raise WrongUse(f"a sequence takes edits=N with N at least 1, not {setting!r}")
    return int(value)
