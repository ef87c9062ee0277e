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
    from convergebench.editors.classical.technique import Technique
    from convergebench.types import Pixels

__all__ = ["SKILLS", "edit_pixels", "fill_named"]


def edit_pixels(
    pixels: Pixels, instruction: str, seed: int = 0, technique: Technique | None = None
) -> Pixels:
    """A new picture that follows the instruction; the same arguments always give the same picture.

    Raises `Refused` for what it cannot do: an instruction it does not understand, an accessory where
    no face is found, a thing to remove that is not there.
    """
    command = parse(instruction)
    # Drawing needs OpenCV, which is slow to import.
    from convergebench.editors.classical.editing import carry_out
    from convergebench.editors.classical.technique import Technique

    return carry_out(pixels, command, seed, technique or Technique())


@editor(
    "classical",
    summary="draws, inpaints, warps, bends curves, flips and turns; no weights",
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
    """What an editor's parameter `inpainting` names."""
    match facts.parameters["inpainting"]:
        case "opencv":
            from convergebench.editors.classical.removal import inpainted

            return inpainted
        case "patch":
            from convergebench.editors.classical.patches import patched

            return patched
        case "migan":
            from convergebench.editors.classical import _migan

            return _migan.fill_from_cache()
        case other:
            raise WrongUse(f"{facts.name}: inpainting must be opencv, patch or migan, not {other}")
