"""Editors around an editor: `?paste=footprint` lays its results back on the input, `?size=1024` lets it work
at another size. Both make another model, with both in its name and its fingerprint."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from convergebench.errors import WrongUse
from convergebench.types import (
    BatchEditor,
    Edited,
    EditError,
    Editor,
    EditorFacts,
    EditRequest,
    Parameter,
    PreparedEditor,
    Replicable,
)

if TYPE_CHECKING:
    from convergebench.picture import Picture
    from convergebench.types import Pixels

PASTE, SIZE = "paste", "size"
FOOTPRINT = "footprint"
MULTIPLE = 16
SMALLEST = 64
"""Editors and metrics need sides of this many pixels."""
_SIZE = re.compile(r"(\d{1,9})(?:x(\d{1,9}))?")


@dataclass(frozen=True)
class Composition:
    """What happens around each edit."""

    paste: str = ""
    size: str = ""

    @classmethod
    def taken_from(cls, parameters: dict[str, Parameter], *, with_size: bool) -> Composition:
        """The part of the parameters that is about it, which is removed from them."""
        paste = str(parameters.pop(PASTE, ""))
        size = str(parameters.pop(SIZE, "")) if with_size else ""
        if paste not in ("", FOOTPRINT):
            raise WrongUse(f"paste must be {FOOTPRINT}, not {paste}")
        if size:
            _check_size(size)
        return cls(paste, size)

    @property
    def is_empty(self) -> bool:
        return not self.paste and not self.size

    @property
    def parameters(self) -> dict[str, Parameter]:
        return {key: value for key, value in ((PASTE, self.paste), (SIZE, self.size)) if value}

    def around(self, facts: EditorFacts) -> EditorFacts:
        """The identity of the editor with this around it."""
        base, _, query = facts.name.partition("?")
        parts = [part for part in query.split("&") if part]
        named = sorted([*parts, *(f"{key}={value}" for key, value in self.parameters.items())])
        return replace(
            facts,
            name=f"{base}?{'&'.join(named)}",
            parameters={**facts.parameters, **self.parameters},
        )


def _check_size(size: str) -> None:
    from convergebench.picture import MAX_MEGAPIXELS

    found = _SIZE.fullmatch(size)
    if not found:
        raise WrongUse(f"size must be the longer side, as in 1024, or as in 1024x768, not {size}")
    if any(int(side) < SMALLEST for side in found.groups() if side):
        raise WrongUse(f"size={size} is too small; give sides of {SMALLEST} pixels or more, as in 1024")
    width, height = size_for((1, 1), size)  # no picture gets larger than a square one
    if width * height > MAX_MEGAPIXELS * 1_000_000:
        raise WrongUse(
            f"size={size} could make pictures of {width} × {height}; stay below {MAX_MEGAPIXELS} megapixels, "
            "as in 1024"
        )


def composed(editor: Editor, composition: Composition) -> Editor:
    return editor if composition.is_empty else CompositeEditor(editor, composition)


class CompositeEditor:
    """An editor of another one's results. It is as parallel as the editor inside."""

    def __init__(self, inner: Editor, composition: Composition) -> None:
        self.facts = composition.around(inner.facts)
        self._inner = inner
        self._composition = composition
        # Protocols are recognised by their members, so only those of the editor inside may be there.
        if isinstance(inner, PreparedEditor):
            self.prepare: Callable[..., object] = inner.prepare
        if isinstance(inner, Replicable):
            self.share = inner.share
        if isinstance(inner, BatchEditor):
            self.batch_size = inner.batch_size
            self.edit_batch = self._edit_batch

    async def edit(self, request: EditRequest) -> Edited:
        sent = await asyncio.to_thread(self._sent, request)
        return await self._finished(request, await self._inner.edit(sent))

    async def close(self) -> None:
        await self._inner.close()

    async def _edit_batch(self, requests: Sequence[EditRequest]) -> Sequence[Edited | EditError]:
        assert isinstance(self._inner, BatchEditor)
        sent = await asyncio.to_thread(lambda: [self._sent(request) for request in requests])
        outcomes = await self._inner.edit_batch(sent)
        return [
            one if isinstance(one, EditError) else await self._finished(request, one)
            for request, one in zip(requests, outcomes, strict=True)
        ]

    def _sent(self, request: EditRequest) -> EditRequest:
        if not self._composition.size:
            return request
        images = tuple(_resized(picture, self._composition.size) for picture in request.images)
        return replace(request, images=images)

    async def _finished(self, request: EditRequest, edited: Edited) -> Edited:
        return replace(edited, picture=await asyncio.to_thread(self._composite, request, edited.picture))

    def _composite(self, request: EditRequest, result: Picture) -> Picture:
        from convergebench.editors._paste_back import pasted_back
        from convergebench.picture import Picture

        pixels = result.pixels
        if self._composition.size:
            sent = size_for(request.image.size, self._composition.size)
            pixels = _back_at_size(request.image.size, sent, pixels)
        if self._composition.paste:
            pixels = pasted_back(request.image.pixels, pixels)
        elif pixels is result.pixels:
            return result
        return Picture.from_pixels(pixels)


def _resized(picture: Picture, size: str) -> Picture:
    from convergebench.picture import Picture, resized_to

    width, height = size_for(picture.size, size)
    if (width, height) == picture.size:
        return picture
    return Picture.from_pixels(resized_to(picture.pixels, width, height))


def _back_at_size(size: tuple[int, int], sent: tuple[int, int], pixels: Pixels) -> Pixels:
    """At the size of the input; a result that turned what was sent keeps its turn."""
    from convergebench.editors._paste_back import is_turned
    from convergebench.picture import resized_to

    height, width, _ = pixels.shape
    width, height = size[::-1] if is_turned(sent, (width, height)) else size
    return pixels if pixels.shape[:2] == (height, width) else resized_to(pixels, width, height)


def size_for(now: tuple[int, int], wanted: str) -> tuple[int, int]:
    """The size that `wanted` means for a picture: its longer side with the proportions kept, or both sides;
    sides are multiples of 16.

    >>> size_for((512, 336), "1024"), size_for((512, 512), "1024x768")
    ((1024, 672), (1024, 768))
    """
    found = _SIZE.fullmatch(wanted)
    assert found is not None
    if found[2]:
        sides = float(found[1]), float(found[2])
    else:
        scale = int(found[1]) / max(now)
        sides = now[0] * scale, now[1] * scale
    width, height = (max(1, round(side / MULTIPLE)) * MULTIPLE for side in sides)
    return width, height
