"""What a step's measurement by region depends on besides its picture, as one digest.

Where a return was edited follows from the pictures of all rounds before it, so that the same picture in
another chain is measured anew. The digest stands where other metrics have that of the reference picture.
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
class AskedEdit:
    """What an instruction asks for: the built-in pair where it is one of those, else the case's own."""

    pair: str
    category: str

    @classmethod
    def by(cls, instruction: str, pair: str, category: str) -> AskedEdit:
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
        """The context of a step that is no return; None for one that only undoes."""
        if not is_forward(role):
            return None
        if self._round_input is None:
            self._round_input = given
        self._forward = made
        asked = AskedEdit.by(instruction, self.pair, self.category)
        return _digest("edit", given, asked.pair, asked.category)

    def returned(self) -> Digest:
        """The context of a return; it ends the round."""
        if self._round_input is not None and self._forward is not None:
            self.edits.append((self._round_input, self._forward))
        self._round_input = self._forward = None
        return _digest("return", self.source, self.scope, self.edits)


def _digest(*parts: object) -> Digest:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()
