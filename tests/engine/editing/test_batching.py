"""Requests of many, sent in batches to an editor that is told when to go on."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import numpy as np
import pytest

from convergebench.engine.budget import Stopped
from convergebench.engine.editing.batching import BatchingEditor
from convergebench.picture import Picture
from convergebench.types import Edited, EditError, EditorFacts, EditRequest, Refused, Unavailable
from jumping_time import run as run_in_no_time

PICTURE = Picture.from_pixels(np.zeros((8, 8, 3), np.uint8))


class Held:
    """Edits nothing, and answers when it is let go."""

    facts = EditorFacts("held", "1", {})
    batch_size = 3

    def __init__(self) -> None:
        self.sizes: list[int] = []
        self.go_on = asyncio.Event()

    async def edit(self, request: EditRequest) -> Edited:
        (outcome,) = await self.edit_batch([request])
        assert isinstance(outcome, Edited)
        return outcome

    async def edit_batch(self, requests: Sequence[EditRequest]) -> Sequence[Edited | EditError]:
        self.sizes.append(len(requests))
        await self.go_on.wait()
        return [Edited(request.image, 0.0) for request in requests]

    async def close(self) -> None: ...


def sizes_before_and_after(ask: Callable[[BatchingEditor], Awaitable[None]]) -> tuple[list[int], list[int]]:
    """The batches' sizes before the editor has answered any, and at the end."""

    async def run() -> tuple[list[int], list[int]]:
        editor = Held()
        asking = asyncio.ensure_future(ask(BatchingEditor(editor, asyncio.Event())))
        await asyncio.sleep(0.2)
        before = list(editor.sizes)
        editor.go_on.set()
        await asking
        return before, editor.sizes

    return run_in_no_time(run())


def many(count: int, seconds_apart: float = 0.0) -> Callable[[BatchingEditor], Awaitable[None]]:
    async def one(batched: BatchingEditor, number: int) -> None:
        await asyncio.sleep(number * seconds_apart)
        await batched.edit(EditRequest((PICTURE,), "Change nothing.", number))

    async def ask(batched: BatchingEditor) -> None:
        await asyncio.gather(*(one(batched, number) for number in range(count)))

    return ask


@pytest.mark.parametrize(
    ("asked", "before", "after"),
    [(2, [2], [2]), (3, [3], [3]), (5, [3], [3, 2]), (6, [3, 3], [3, 3]), (10, [3, 3], [3, 3, 3, 1])],
)
def test_one_full_batch_is_sent_ahead_and_one_that_is_not_full_waits(
    asked: int, before: list[int], after: list[int]
) -> None:
    assert sizes_before_and_after(many(asked)) == (before, after)


def test_a_batch_waits_for_those_who_come_shortly_after_one_another() -> None:
    assert sizes_before_and_after(many(3, seconds_apart=0.008)) == ([3], [3])


def test_an_editor_that_does_not_answer_is_unavailable_after_the_batchs_deadline() -> None:
    async def run() -> list[Edited | BaseException]:
        batched = BatchingEditor(Held(), asyncio.Event(), deadline_seconds=0.05)
        requests = [EditRequest((PICTURE,), "Change nothing.", number) for number in range(2)]
        return await asyncio.gather(*map(batched.edit, requests), return_exceptions=True)

    outcomes = run_in_no_time(run())
    assert all(isinstance(one, Unavailable) for one in outcomes)
    assert "no answer within 0.05 s" in str(outcomes[0])


def test_an_editor_that_gives_too_few_outcomes_leaves_nobody_waiting() -> None:
    class Short(Held):
        async def edit_batch(self, requests: Sequence[EditRequest]) -> Sequence[Edited | EditError]:
            return [Refused("not this one")]

    async def run() -> list[Edited | BaseException]:
        batched = BatchingEditor(Short(), asyncio.Event())
        requests = [EditRequest((PICTURE,), "Change nothing.", number) for number in range(3)]
        asking = asyncio.gather(*map(batched.edit, requests), return_exceptions=True)
        return await asyncio.wait_for(asking, 60)

    assert {str(one) for one in run_in_no_time(run())} == {"1 outcomes for 3 requests"}


def test_requests_that_wait_when_the_run_stops_are_not_begun() -> None:
    async def run() -> tuple[list[int], list[Edited | BaseException]]:
        editor, stop = Held(), asyncio.Event()
        batched = BatchingEditor(editor, stop)
        requests = [EditRequest((PICTURE,), "Change nothing.", number) for number in range(9)]
        asking = asyncio.gather(*map(batched.edit, requests), return_exceptions=True)
        async with asyncio.timeout(60):
            while len(editor.sizes) < 2:  # noqa: ASYNC110 - the editor counts its batches
                await asyncio.sleep(0.001)
        stop.set()
        editor.go_on.set()
        return editor.sizes, await asking

    sizes, outcomes = run_in_no_time(run())
    assert sizes == [3, 3]
    assert [isinstance(one, Stopped) for one in outcomes] == [False] * 6 + [True] * 3
