"""The common part of editors behind an API: requests, deadlines and replies."""

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
    NoReply,
    Parameter,
    Refused,
)

if TYPE_CHECKING:
    from convergebench.picture import Picture

DEADLINE_SECONDS = 300.0
TAKEN_EVERYWHERE = ("image/png", "image/jpeg", "image/webp")
SMALL_BYTES = 32 * 1024
"""The size of a picture's file from which work is done on a thread; for smaller files a thread costs more."""

T = TypeVar("T")


def sent_pictures(facts: EditorFacts, request: EditRequest) -> tuple[Picture, ...]:
    """The request's pictures in formats that every provider accepts; raises Refused if they are too many."""
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
    """The parameters that are passed on unchanged: all except our own and those disabled with ''."""
    return {key: value for key, value in facts.parameters.items() if key not in ours and value != ""}


async def made_ready(work: Callable[[EditRequest], T], request: EditRequest) -> T:
    """The result of `work` on the request's pictures, on a thread if they are large."""
    if sum(len(picture.encoded) for picture in request.images) < SMALL_BYTES:
        return work(request)
    return await asyncio.to_thread(work, request)


async def edited_from(data: bytes, cost_usd: float | None) -> Edited:
    """The picture, unchanged; raises BadOutput if it is not a picture."""
    from convergebench.picture import Picture

    try:
        if len(data) < SMALL_BYTES:
            return Edited(Picture.from_bytes(data), cost_usd)
        return Edited(await asyncio.to_thread(Picture.from_bytes, data), cost_usd)
    except BadPicture as error:
        raise BadOutput(f"the reply is not a picture: {error}", cost_usd=cost_usd) from error


@dataclass
class Bill:
    """The charge for an edit, once it is due."""

    usd: float | None = None


@contextlib.contextmanager
def charged(cost_usd: float | None = None) -> Iterator[Bill]:
    """An error inside this context has the current charge as its cost, unless it has its own."""
    bill = Bill(cost_usd)
    try:
        yield bill
    except EditError as error:
        if error.cost_usd is None:
            error.cost_usd = bill.usd
        raise


@contextlib.asynccontextmanager
async def deadline(seconds: float) -> AsyncIterator[Bill]:
    """Raises Unavailable with the last error if it takes longer.

    A job accepted inside this context is charged, even if it is abandoned later.
    """
    with charged() as bill:
        try:
            async with asyncio.timeout(seconds):
                yield bill
        except TimeoutError as error:
            notes = getattr(error.__cause__, "__notes__", [])  # the cancellation's, by `patiently`
            trouble = "".join(f"; the last time: {note}" for note in notes)
            raise NoReply(f"no picture after {seconds:g} seconds{trouble}") from error
