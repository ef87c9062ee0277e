"""What editors behind an API share: what they send, how long they wait, what they make of the answer."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from convergebench.errors import BadPicture
from convergebench.types import (
    BadOutput,
    Edited,
    EditError,
    EditorFacts,
    EditRequest,
    Parameter,
    Refused,
    Unavailable,
)

if TYPE_CHECKING:
    from convergebench.picture import Picture

DEADLINE_SECONDS = 300.0
TAKEN_EVERYWHERE = ("image/png", "image/jpeg", "image/webp")
SMALL_BYTES = 32 * 1024
"""Of a picture's file: to hand smaller ones to a thread costs more than the work itself."""

T = TypeVar("T")


def sent_pictures(facts: EditorFacts, request: EditRequest) -> tuple[Picture, ...]:
    """The request's pictures in formats that every provider takes; Refused if they are too many."""
    from convergebench.picture import Picture

    given, most = len(request.images), facts.max_inputs
    if given > most:
        takes = "one picture" if most == 1 else f"at most {most} pictures"
        raise Refused(f"takes {takes}, got {given}")
    return tuple(
        picture if picture.facts.media_type in TAKEN_EVERYWHERE else Picture.from_pixels(picture.pixels)
        for picture in request.images
    )


def call_parameters(facts: EditorFacts, *ours: str) -> dict[str, Parameter]:
    """What goes into the call as it is: all parameters but ours, and but those switched off with ''."""
    return {key: value for key, value in facts.parameters.items() if key not in ours and value != ""}


async def made_ready(work: Callable[[EditRequest], T], request: EditRequest) -> T:
    """What `work` makes of the request's pictures, which takes a while where they are large."""
    if sum(len(picture.encoded) for picture in request.images) < SMALL_BYTES:
        return work(request)
    return await asyncio.to_thread(work, request)


async def edited_from(data: bytes, cost_usd: float | None) -> Edited:
    """The picture as it was given; BadOutput if it is none."""
    from convergebench.picture import Picture

    try:
        if len(data) < SMALL_BYTES:
            return Edited(Picture.from_bytes(data), cost_usd)
        return Edited(await asyncio.to_thread(Picture.from_bytes, data), cost_usd)
    except BadPicture as error:
        raise BadOutput(f"the reply is not a picture: {error}", cost_usd=cost_usd) from error


@dataclass
class Bill:
    """What a provider charges for an edit, from when it does."""

    usd: float | None = None


@contextlib.contextmanager
def charged(cost_usd: float | None = None) -> Iterator[Bill]:
    """An error in here costs what stands on the bill by then, unless it says itself what it cost."""
    bill = Bill(cost_usd)
    try:
        yield bill
    except EditError as error:
        if error.cost_usd is None:
            error.cost_usd = bill.usd
        raise


@contextlib.asynccontextmanager
async def deadline(seconds: float) -> AsyncIterator[Bill]:
    """Unavailable, with the last thing that went wrong, when it takes longer.

    A job accepted inside this context is charged, even if it is abandoned later.
    """
    with charged() as bill:
        try:
            async with asyncio.timeout(seconds):
                yield bill
        except TimeoutError as error:
            notes = getattr(error.__cause__, "__notes__", [])  # the cancellation's, by `patiently`
            trouble = "".join(f"; the last time: {note}" for note in notes)
            raise Unavailable(f"no picture after {seconds:g} seconds{trouble}") from error
