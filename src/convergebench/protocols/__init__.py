"""How an editor is exercised on a case."""

from typing import TYPE_CHECKING, Any

from convergebench.protocols import registry
from convergebench.protocols.base import (
    TURN_ROLES,
    ChosenCases,
    EditingProtocol,
    is_forward,
    is_undoing,
    protocol,
)
from convergebench.protocols.cross_edit import cross_edit, cross_edit_swapped
from convergebench.protocols.one_shot import one_shot
from convergebench.protocols.refine import refine
from convergebench.protocols.registry import ProtocolCases, protocol_cases
from convergebench.protocols.round_trip import round_trip
from convergebench.protocols.sequence import sequence
from convergebench.protocols.session import independent, session, singlepass
from convergebench.protocols.stay import stay

if TYPE_CHECKING:
    NAMES: tuple[str, ...]
    BY_TURN: tuple[str, ...]
    RETURNING: tuple[str, ...]
    RETURN_ROLES: frozenset[str]

__all__ = [
    "BY_TURN",
    "NAMES",
    "RETURNING",
    "RETURN_ROLES",
    "TURN_ROLES",
    "ChosenCases",
    "EditingProtocol",
    "ProtocolCases",
    "cross_edit",
    "cross_edit_swapped",
    "independent",
    "is_forward",
    "is_undoing",
    "one_shot",
    "protocol",
    "protocol_cases",
    "refine",
    "round_trip",
    "sequence",
    "session",
    "singlepass",
    "stay",
]


def __getattr__(name: str) -> Any:
    """Names that depend on installed plug-ins are looked up on first use, since a plug-in imports this
    package itself."""
    if name == "NAMES":
        return registry.names()
    if name == "BY_TURN":
        return registry.by_turn()
    if name == "RETURNING":
        return registry.returning()
    if name == "RETURN_ROLES":
        return registry.return_roles()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
