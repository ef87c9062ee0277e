"""The measurements of one session, turn by turn."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence

from convergebench.engine.measuring.items import (
    CaptionedPicture,
    ForwardEdit,
    Item,
    Kind,
    PicturePair,
    SessionTurnPicture,
    TargetPicture,
)
from convergebench.errors import LostPicture
from convergebench.instructions.captions import captions
from convergebench.picture import Picture
from convergebench.protocols.base import INDEPENDENT, PASS, TURN
from convergebench.protocols.chain_context import (
    TurnContexts,
    caption_context,
    earlier_masks,
    target_context,
)
from convergebench.suites.case_hints import MASKS, TARGETS, caption_of, digests_of, tasks_of
from convergebench.types import Digest, PictureFacts, Step

log = logging.getLogger("convergebench")


class SessionMeasurements:
    """Follows one session. A turn is compared with its input, with the source, outside everything that was
    edited so far, and with its target where there is one.

    `load` opens a picture of the workspace. What needs a lost one is not measured, and the log names it.
    """

    def __init__(self, source: Picture, hints: Mapping[str, str], load: Callable[[Digest], Picture]) -> None:
        self._source = self._latest = source
        self._load = load
        self._hints = hints
        self._tasks = tasks_of(hints)
        self._contexts = TurnContexts(self._tasks)
        self._targets, self._masks = digests_of(hints, TARGETS), digests_of(hints, MASKS)
        self._earlier: tuple[tuple[PictureFacts, PictureFacts, str], ...] = ()

    def of_step(self, step: Step, picture: Picture) -> Iterator[tuple[Kind, Item]]:
        """The items to measure after a turn has created this picture."""
        try:
            given = self._given(step)
        except LostPicture as error:
            log.warning("not measured: %s", error)
            return
        source = self._source if step.role in (TURN, PASS) else given
        task = self._tasks[step.round - 1] if step.round <= len(self._tasks) else ""
        context = self._contexts.of_step(step.role, step.round, given.digest, picture.digest)
        if given.digest != picture.digest:
            yield "changes", PicturePair(given, picture)
            yield "directions", ForwardEdit(given, picture, captions(step.instruction))
        yield "returns", PicturePair(source, picture)
        whole = self._contexts.is_whole(step.role, step.round)
        earlier = self._earlier if step.role == TURN else ()
        yield "regions", SessionTurnPicture(source, given, picture, task, context, earlier, whole)
        yield from self._of_target(step, source, picture)
        caption = caption_of(self._hints, step.round)
        if caption:
            yield "captions", CaptionedPicture(picture, caption, caption_context(caption))
        self._latest = picture
        self._earlier += ((given.facts, picture.facts, task),)

    def _given(self, step: Step) -> Picture:
        if step.role == TURN:
            return self._latest
        return self._source if step.role == PASS else self._load(step.inputs[0])

    def _of_target(self, step: Step, source: Picture, picture: Picture) -> Iterator[tuple[Kind, Item]]:
        target, mask = self._targets.get(step.round), self._masks.get(step.round)
        if target is None and mask is None:
            return
        try:
            earlier = earlier_masks(step.role, step.round, self._masks)
            wanted, where, *before = (
                self._load(digest) if digest else None for digest in (target, mask, *earlier)
            )
        except LostPicture as error:
            log.warning("not measured: %s", error)
            return
        if wanted is not None:
            yield "returns", PicturePair(wanted, picture)
        context = target_context(source.digest, target, mask, earlier)
        yield "targets", TargetPicture(source, picture, wanted, where, tuple(before), context)


def turn_references(steps: Sequence[Step], hints: Mapping[str, str]) -> list[Digest]:
    """What the recorded turns are measured against, for looking up their measurements."""
    contexts = TurnContexts(tasks_of(hints))
    targets, masks = digests_of(hints, TARGETS), digests_of(hints, MASKS)
    found = list(targets.values())
    for step in steps:
        if isinstance(step.outcome, PictureFacts):
            found.append(step.inputs[0])
            found.append(contexts.of_step(step.role, step.round, step.inputs[0], step.outcome.digest))
            source = step.inputs[0] if step.role == INDEPENDENT else steps[0].inputs[0]
            earlier = earlier_masks(step.role, step.round, masks)
            found.append(target_context(source, targets.get(step.round), masks.get(step.round), earlier))
            found.append(caption_context(caption_of(hints, step.round)))
    return found
