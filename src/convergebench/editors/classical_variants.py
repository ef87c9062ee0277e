"""Editors that edit as `classical` does but remove more carefully, three of them with one fault each.

They are built in to show what the benchmark sees; nobody uses them to edit pictures.
"""

from __future__ import annotations

from collections.abc import Mapping

from convergebench.editors.classical import edit_pixels, fill_named
from convergebench.editors.pixel import PixelEditor
from convergebench.editors.registry import editor
from convergebench.errors import WrongUse
from convergebench.types import EditorFacts, Parameter, Pixels

VERSION = "1"

RANGES = {"scale": (0.1, 1), "quality": (1, 100), "cast": (-20, 20), "remainder": (0, 1), "zoom": (-20, 20)}


def _variant(name: str, summary: str, **faults: Parameter) -> None:
    parameters = {"inpainting": "patch", **faults}

    @editor(name, summary=summary, version=VERSION, price_usd=0.0, parameters=parameters, typical_seconds=0.8)
    def build(facts: EditorFacts) -> PixelEditor:
        from convergebench.editors.classical.technique import Technique

        strengths = _strengths(facts)
        technique = Technique(fill_named(facts), careful=True, remainder=strengths.get("remainder", 0.0))

        def edit(pixels: Pixels, instruction: str, seed: int) -> Pixels:
            return _worn(edit_pixels(pixels, instruction, seed, technique), strengths)

        return PixelEditor(facts, edit)


def _strengths(facts: EditorFacts) -> dict[str, float]:
    """The parameters that are numbers, within their ranges."""
    strengths = {key: float(value) for key, value in facts.parameters.items() if key in RANGES}
    for key, value in strengths.items():
        low, high = RANGES[key]
        if not low <= value <= high:
            raise WrongUse(f"{facts.name}: {key} must be from {low} to {high}")
    return strengths


def _worn(pixels: Pixels, strengths: Mapping[str, float]) -> Pixels:
    """The edited picture after what this editor does to the whole of every picture."""
    from convergebench.editors import _degradations

    if "quality" in strengths:
        scale, quality, cast = strengths["scale"], int(strengths["quality"]), strengths["cast"]
        return _degradations.reencode(pixels, seed=0, scale=scale, quality=quality, cast=cast)
    if "zoom" in strengths:
        return _degradations.zoom(pixels, seed=0, percent=strengths["zoom"])
    return pixels


_variant("classical-patch", "edits as classical, follows outlines closely and fills with patches")
_variant(
    "classical-reencode",
    "edits as classical-patch, but makes every picture a little softer and warmer",
    scale=0.85,
    quality=90,
    cast=0.5,
)
_variant("classical-ghost", "edits as classical-patch, but leaves part of what it removes", remainder=0.2)
_variant("classical-reframe", "edits as classical-patch, but zooms in a little each time", zoom=0.5)
