"""The built-in editor: it draws, inpaints, warps, adjusts tone curves, flips and rotates.

It needs no weights and no key. Its only input is the picture and the instruction.
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
    from convergebench.editors.classical.technique import Technique
    from convergebench.types import Pixels

__all__ = ["SKILLS", "edit_pixels", "fill_named"]


def edit_pixels(
    pixels: Pixels, instruction: str, seed: int = 0, technique: Technique | None = None
) -> Pixels:
    """A new picture that follows the instruction; the same arguments always give the same picture.

    Raises `Refused` if it cannot follow the instruction: it does not understand it, finds no face for an
    accessory, or does not find the thing to remove.
    """
    command = parse(instruction)
    # Drawing needs OpenCV, which is slow to import.
    from convergebench.editors.classical.editing import carry_out
    from convergebench.editors.classical.technique import Technique

    return carry_out(pixels, command, seed, technique or Technique())


@editor(
    "classical",
    summary="draws, inpaints, warps, bends curves, flips and turns; no weights",
    typical_seconds=0.5,
    version="2",
    price_usd=0.0,
    parameters={"inpainting": "opencv"},
)
def classical(facts: EditorFacts) -> PixelEditor:
    from convergebench.editors.classical.technique import Technique

    technique = Technique(fill_named(facts))
    return PixelEditor(
        facts, lambda pixels, instruction, seed: edit_pixels(pixels, instruction, seed, technique)
    )


def fill_named(facts: EditorFacts) -> Fill:
    """The inpainting method that the editor's parameter names."""
    match facts.parameters["inpainting"]:
        case "opencv":
            from convergebench.editors.classical.technique import opencv_fill

            return opencv_fill
        case "patch":
            from convergebench.editors.classical.patches import patched

            return patched
        case "migan":
            from convergebench.editors.classical import _migan

            return _migan.fill_from_cache()
        case other:
            raise WrongUse(f"{facts.name}: inpainting must be opencv, patch or migan, not {other}")
