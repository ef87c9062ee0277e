"""The built-in editor that really edits: it draws, paints over, warps, bends curves, flips and turns.

It needs no weights and no key. It sees the picture and the instruction, nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from convergebench.editors.classical.instructions import SKILLS, parse
from convergebench.editors.pixel import PixelEditor
from convergebench.editors.registry import editor
from convergebench.errors import WrongUse
from convergebench.types import EditorFacts

if TYPE_CHECKING:
    from convergebench.editors.classical.removal import Fill
    from convergebench.types import Pixels

__all__ = ["SKILLS", "edit_pixels"]


def edit_pixels(pixels: Pixels, instruction: str, seed: int = 0, fill: Fill | None = None) -> Pixels:
    """A new picture that follows the instruction; the same arguments always give the same picture.

    Raises `Refused` for what it cannot do: an instruction it does not understand, an accessory where
    no face is found, a thing to remove that is not there.
    """
    command = parse(instruction)
    # Drawing needs OpenCV, which is slow to import.
    from convergebench.editors.classical.editing import carry_out
    from convergebench.editors.classical.removal import inpainted

    return carry_out(pixels, command, seed, fill or inpainted)


@editor(
    "classical",
    summary="draws, inpaints, warps, bends curves, flips and turns; no weights",
    version="2",
    price_usd=0.0,
    parameters={"inpainting": "opencv"},
)
def classical(facts: EditorFacts) -> PixelEditor:
    fill = _fill_named(str(facts.parameters["inpainting"]))
    return PixelEditor(facts, lambda pixels, instruction, seed: edit_pixels(pixels, instruction, seed, fill))


def _fill_named(inpainting: str) -> Fill | None:
    match inpainting:
        case "opencv":
            return None
        case "migan":
            from convergebench.editors.classical import _migan

            return _migan.fill_from_cache()
    raise WrongUse(f"classical?inpainting must be opencv or migan, not {inpainting}")
