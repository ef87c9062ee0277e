"""Editors for tests: real ones, that do what the test says."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

import numpy as np

from convergebench.picture import Picture
from convergebench.types import Edited, EditError, EditorFacts, EditRequest


class Scripted:
    """Brightens the picture a little; what `script` returns or raises comes first. The first edits wait for
    one another until `meeting` are in progress."""

    def __init__(
        self,
        script: Callable[[int, EditRequest], Edited | None] = lambda number, request: None,
        name: str = "scripted",
        meeting: int = 0,
    ) -> None:
        self.facts = EditorFacts(name, "1", {"strength": 1}, price_usd=0.5)
        self.requests: list[EditRequest] = []
        self.closed = False
        self.most_at_once = 0
        self._at_once = 0
        self._script = script
        self._meeting = meeting

    async def edit(self, request: EditRequest) -> Edited:
        self.requests.append(request)
        self._at_once += 1
        self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            await asyncio.sleep(0.003)
            async with asyncio.timeout(60):
                while self.most_at_once < self._meeting:  # noqa: ASYNC110 - the edits count themselves
                    await asyncio.sleep(0.001)
            return self._script(len(self.requests), request) or Edited(brighter(request.image), cost_usd=0.5)
        finally:
            self._at_once -= 1

    async def close(self) -> None:
        self.closed = True


class ScriptedBatches(Scripted):
    """The same in batches; remembers how large they were."""

    batch_size = 4

    def __init__(self) -> None:
        super().__init__(name="batches")
        self.sizes: list[int] = []

    async def edit_batch(self, requests: Sequence[EditRequest]) -> Sequence[Edited | EditError]:
        self.sizes.append(len(requests))
        await asyncio.sleep(0.005)
        return [Edited(brighter(request.image), cost_usd=0.5) for request in requests]


def brighter(picture: Picture) -> Picture:
    return Picture.from_pixels(np.minimum(picture.pixels.astype(int) + 1, 255).astype(np.uint8))
