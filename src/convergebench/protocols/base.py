"""What a protocol is: a coroutine over one case, and the few facts others need about it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from convergebench.types import Case, Edit


@dataclass(frozen=True)
class EditingProtocol:
    """How an editor is exercised on a case. It must ask for the same edits each time it runs,
    since finished ones are replayed from the store."""

    name: str
    run: Callable[[Case, Edit], Awaitable[None]]
    rounds: int
    edits: int
    """How many edits a complete trajectory has."""
    returns: frozenset[str]
    """The roles whose pictures should equal the source, and are compared with it."""


def is_forward(role: str) -> bool:
    """Whether a step of this role makes an edit that is undone later: forward, forward_2, …"""
    return role.partition("_")[0] == "forward"


def is_undoing(role: str) -> bool:
    """Whether it undoes one of several edits and is not back at the source yet: undo, undo_2, …"""
    return role.partition("_")[0] == "undo"
