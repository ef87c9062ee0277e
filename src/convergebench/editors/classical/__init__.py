"""The built-in editor that really edits: it draws things into pictures and takes them out again.

It needs no weights and no key. It sees the picture and the instruction, nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from convergebench.editors.classical.instructions import SKILLS, parse
from convergebench.editors.pixel import PixelEditor
from convergebench.editors.registry import editor
from convergebench.types import EditorFacts

if TYPE_CHECKING:
    from convergebench.types import Pixels

__all__ = ["SKILLS", "edit_pixels"]


def edit_pixels(pixels: Pixels, instruction: str) -> Pixels:
    """A new picture that follows the instruction; the same arguments always give the same picture.

    Raises `Refused` for what it cannot do: an instruction it does not understand, an accessory where
    no face is found, a thing to remove that is not there.
    """
    command = parse(instruction)
    # Drawing needs OpenCV, which is slow to import.
    from convergebench.editors.classical.editing import carry_out

    return carry_out(pixels, command)


@editor("classical", summary="draws, inpaints, flips and turns; no weights", version="1", price_usd=0.0)
def classical(facts: EditorFacts) -> PixelEditor:
    return PixelEditor(facts, lambda pixels, instruction, seed: edit_pixels(pixels, instruction))
