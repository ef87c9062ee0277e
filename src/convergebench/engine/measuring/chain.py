"""The measurements of one chain, step by step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set

from convergebench.analysis.round_trip.reported_rounds import HEADLINE_ROUNDS
from convergebench.engine.measuring.items import (
    KINDS,
    ChainReturn,
    ForwardEdit,
    ForwardPicture,
    Item,
    Kind,
    PicturePair,
    ReportedReturn,
)
from convergebench.instructions.captions import captions
from convergebench.metrics.clip_direction import Captions
from convergebench.picture import Picture
from convergebench.protocols.chain_context import ChainContext, RequestedEdit
from convergebench.types import Digest, PictureFacts, Step


class ChainMeasurements:
    """Follows one chain. A return is compared with the source and the previous return, any other step with
    its input. Forward edits are located, and returns measured by region."""

    def __init__(
        self,
        source: Picture,
        returns: Set[str],
        pair: str,
        category: str,
        written: Mapping[str, Captions] | None = None,
        *,
        rounds: int,
        is_portrait: bool,
        kinds: Set[Kind] = KINDS,
    ) -> None:
        """`written` are captions that a user wrote, by instruction; `rounds` is the planned number. Items of
        other `kinds` are not made."""
        self._kinds = kinds
        self._written = written
        self._source = source
        self._reported = {*HEADLINE_ROUNDS, rounds}
        self._is_portrait = is_portrait
        self._round = 0
        self._returns = returns
        self._context = ChainContext(source.digest, pair, category)
        self._latest = source
        self._last_return: Picture | None = None
        self._round_input = source
        self._forward: Picture | None = None
        self._earlier: tuple[tuple[PictureFacts, PictureFacts], ...] = ()

    def of_step(self, step: Step, picture: Picture) -> Iterator[tuple[Kind, Item]]:
        """The items to measure after a step has created this picture.

        Two pictures that are the same file need no comparison.
        """
        role, instruction = step.role, step.instruction
        given, self._latest = self._latest, picture
        if role in self._returns:
            yield from self._of_return(picture)
            return
        if given.digest != picture.digest:
            yield "changes", PicturePair(given, picture)
            if "directions" in self._kinds:
                yield "directions", ForwardEdit(given, picture, captions(instruction, self._written))
        if "regions" not in self._kinds:
            return
        context = self._context.forward(role, instruction, given.digest, picture.digest)
        if context is None:
            return
        if self._forward is None:
            self._round_input = given
        self._forward = picture
        requested = RequestedEdit.by(instruction, self._context.pair, self._context.category)
        yield (
            "regions",
            ForwardPicture(self._source, given, picture, requested.pair, requested.category, context),
        )

    def _of_return(self, picture: Picture) -> Iterator[tuple[Kind, Item]]:
        before, self._last_return = self._last_return, picture
        if before is not None and before.digest != picture.digest:
            yield "changes", PicturePair(before, picture)
        yield "returns", PicturePair(self._source, picture)
        self._round += 1
        if self._round in self._reported:
            yield "sampled", ReportedReturn(self._source, picture, self._is_portrait)
        if "regions" not in self._kinds:
            return
        # If nothing was edited, as when no change is requested, all of the picture is rest.
        edited = (self._round_input, self._forward) if self._forward else (self._source, self._source)
        category, context = self._context.category, self._context.returned()
        yield "regions", ChainReturn(self._source, *edited, picture, category, context, self._earlier)
        if self._forward is not None:
            self._earlier += ((self._round_input.facts, self._forward.facts),)
        self._forward = None


def chain_contexts(
    steps: Sequence[Step], source: Digest, pair: str, category: str, returns: Set[str]
) -> list[Digest]:
    """The contexts of the recorded steps, for looking up their measurements."""
    context = ChainContext(source, pair, category)
    found: list[Digest | None] = []
    for step in steps:
        if not isinstance(step.outcome, PictureFacts):
            continue
        if step.role in returns:
            found.append(context.returned())
        else:
            made = step.outcome.digest
            found.append(context.forward(step.role, step.instruction, step.inputs[0], made))
    return [one for one in found if one is not None]
