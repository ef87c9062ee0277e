"""How an editor is exercised on a case."""

from convergebench.protocols.base import EditingProtocol, is_forward, is_undoing
from convergebench.protocols.choice import NAMES, RETURN_ROLES, RETURNING, ProtocolCases, protocol_cases
from convergebench.protocols.cross_edit import cross_edit, cross_edit_swapped
from convergebench.protocols.one_shot import one_shot
from convergebench.protocols.refine import refine
from convergebench.protocols.round_trip import round_trip
from convergebench.protocols.sequence import sequence
from convergebench.protocols.stay import stay

__all__ = [
    "NAMES",
    "RETURNING",
    "RETURN_ROLES",
    "EditingProtocol",
    "ProtocolCases",
    "cross_edit",
    "cross_edit_swapped",
    "is_forward",
    "is_undoing",
    "one_shot",
    "protocol_cases",
    "refine",
    "round_trip",
    "sequence",
    "stay",
]
