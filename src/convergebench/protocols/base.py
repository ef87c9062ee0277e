"""What a protocol is: a coroutine over one case, and the few facts others need about it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from convergebench.types import Case, Edit


@dataclass(frozen=True)
class Protocol:
    """How an editor is exercised on a case. It must ask for the same edits each time it runs,
    since finished ones are replayed from the store."""

    name: str
    run: Callable[[Case, Edit], Awaitable[None]]
    rounds: int
    edits: int
    """How many edits a complete trajectory has."""
    returns: frozenset[str]
    """The roles whose pictures should equal the source, and are compared with it."""
