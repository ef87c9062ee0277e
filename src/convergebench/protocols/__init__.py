"""How an editor is exercised on a case."""

from convergebench.protocols.base import Protocol
from convergebench.protocols.round_trip import round_trip

__all__ = ["Protocol", "round_trip"]
