"""Editors that are plain functions on pixels, run on a thread of this process."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from convergebench.editors._exchange import only_picture
from convergebench.types import Edited, EditorFacts, EditRequest, Pixels, Share

Transform = Callable[[Pixels, str, int], Pixels]


class PixelEditor:
    """Wraps `transform(pixels, instruction, seed)`; free, and without requirements."""

    share = Share()

    def __init__(self, facts: EditorFacts, transform: Transform) -> None:
        self.facts = facts
        self._transform = transform

    async def edit(self, request: EditRequest) -> Edited:
        return await asyncio.to_thread(self._edit, request)

    async def close(self) -> None:
        pass

    def _edit(self, request: EditRequest) -> Edited:
        from convergebench.picture import Picture

        before = only_picture(request).pixels
        after = self._transform(before, request.instruction, request.seed)
        return Edited(request.image if after is before else Picture.from_pixels(after), cost_usd=0.0)
