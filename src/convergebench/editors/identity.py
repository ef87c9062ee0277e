"""The editor that does nothing: perfect preservation, and no editing."""

from __future__ import annotations

from convergebench.editors.pixel import PixelEditor
from convergebench.editors.registry import editor
from convergebench.types import EditorFacts


@editor("identity", summary="returns the picture untouched", version="1", role="floor", price_usd=0.0)
def identity(facts: EditorFacts) -> PixelEditor:
    return PixelEditor(facts, lambda pixels, instruction, seed: pixels)
