"""How an editor is exercised on a case."""

from convergebench.protocols.base import Protocol
from convergebench.protocols.one_shot import one_shot
from convergebench.protocols.round_trip import round_trip

__all__ = ["Protocol", "one_shot", "round_trip"]
