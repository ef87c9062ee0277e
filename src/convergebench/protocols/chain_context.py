"""The context of a step's measurement by region, besides its picture, as one digest.

The edited region of a return depends on the pictures of all previous rounds, so the same picture in another
chain is measured again. The digest takes the place of the reference picture's digest in other metrics.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from convergebench.protocols.base import INDEPENDENT, TURN, is_forward
from convergebench.suites import pair_asking
from convergebench.types import Digest

if TYPE_CHECKING:
    from convergebench.metrics.regions import EditScope


@dataclass(frozen=True)
class RequestedEdit:
    """The edit that an instruction requests: the built-in pair if there is one, otherwise the case's own."""

    pair: str
    category: str

    @classmethod
    @lru_cache(maxsize=4096)
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
    _edits_text: str = ""
    """`edits` as JSON without its brackets: in a long chain, writing all again at every return takes long."""

    @property
    def scope(self) -> EditScope:
        from convergebench.metrics.regions import edit_scope  # loads the metrics

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
            comma = ", " if self._edits_text else ""
            self._edits_text += f"{comma}{json.dumps(self.edits[-1])}"
        self._round_input = self._forward = None
        start = json.dumps(("return", self.source, self.scope))[:-1]
        return _digest_of(f"{start}, [{self._edits_text}]]")


@dataclass
class TurnContexts:
    """Follows the turns of one session by their pictures' digests, step by step."""

    tasks: Sequence[str]
    """The type of edit of each turn."""
    _edits: list[tuple[Digest, Digest]] = field(default_factory=list)

    def of_step(self, role: str, round: int, given: Digest, made: Digest) -> Digest:
        """The context of a turn: what its rest is compared with, and all edits of it so far."""
        if role == TURN:
            self._edits.append((given, made))
            return _digest(role, self._edits, self.is_whole(role, round))
        return _digest(role, given, made, self.is_whole(role, round))

    def is_whole(self, role: str, round: int) -> bool:
        """Whether the picture may differ everywhere, since a change of the whole was asked for."""
        from convergebench.metrics.regions import edit_scope

        first = round - 1 if role == INDEPENDENT else 0
        return any(edit_scope(task) == "global" for task in self.tasks[first:round])


def earlier_masks(role: str, turn: int, masks: Mapping[int, Digest]) -> tuple[Digest | None, ...]:
    """The masks of the turns before, whose edits a result shows and the source does not; none where the turn
    itself has no mask."""
    if role == INDEPENDENT or turn not in masks:
        return ()
    return tuple(masks.get(number) for number in range(1, turn))


def target_context(
    source: Digest, target: Digest | None, mask: Digest | None, earlier: Sequence[Digest | None]
) -> Digest:
    """What a result is measured against where a set has targets or masks; outside the masks, the source."""
    return _digest("target", source, target, mask, *earlier)


def caption_context(caption: str) -> Digest:
    """What a result is measured against where a set says in words what it should show."""
    return _digest("caption", caption)


def _digest(*parts: object) -> Digest:
    return _digest_of(json.dumps(parts))


def _digest_of(text: str) -> Digest:
    return hashlib.sha256(text.encode()).hexdigest()
