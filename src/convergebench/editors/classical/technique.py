"""How the built-in editors differ in carrying out the same instruction."""

from __future__ import annotations

from dataclasses import dataclass

from convergebench.editors.classical.removal import Fill, inpainted


@dataclass(frozen=True)
class Technique:
    """The defaults are those of `classical`."""

    fill: Fill = inpainted
    """The inpainting method for removed things."""
    careful: bool = False
    """Whether it locates things to a fraction of a pixel, and uses reversible sepia and fog."""
    remainder: float = 0.0
    """The share of a thing, a tone or a veil that remains after its removal."""
