"""The context of a step's measurement by region, besides its picture, as one digest.

The edited region of a return depends on the pictures of all previous rounds, so the same picture in another
chain is measured again. The digest takes the place of the reference picture's digest in other metrics.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field

from convergebench.metrics.regions import EditScope, edit_scope
from convergebench.protocols.base import is_forward
from convergebench.suites import pair_asking
from convergebench.types import Digest


@dataclass(frozen=True)
class RequestedEdit:
    """The edit that an instruction requests: the built-in pair if there is one, otherwise the case's own."""

    pair: str
    category: str

    @classmethod
    def by(cls, instruction: str, pair: str, category: str) -> RequestedEdit:
        known = pair_asking(instruction)
        return cls(known.id, known.category) if known else cls(pair, category)


@dataclass
class ChainContext:
    """Follows one chain by its pictures' digests, step by step."""

    source: Digest
    pair: str
    category: str
    edits: list[tuple[Digest, Digest]] = field(default_factory=list)
    """Input and forward picture of each round so far; of several edits in a round, the last picture."""
    _round_input: Digest | None = None
    _forward: Digest | None = None

    @property
    def scope(self) -> EditScope:
        return edit_scope(self.category)

    def forward(self, role: str, instruction: str, given: Digest, made: Digest) -> Digest | None:
        """The context of a step that is not a return; None for a step that only undoes."""
        if not is_forward(role):
            return None
        if self._round_input is None:
            self._round_input = given
        self._forward = made
        requested = RequestedEdit.by(instruction, self.pair, self.category)
        return _digest("edit", given, requested.pair, requested.category)

    def returned(self) -> Digest:
        """The context of a return; it ends the round."""
        if self._round_input is not None and self._forward is not None:
            self.edits.append((self._round_input, self._forward))
        self._round_input = self._forward = None
        return _digest("return", self.source, self.scope, self.edits)


def _digest(*parts: object) -> Digest:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()
