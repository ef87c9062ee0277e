"""What the built-in editors do differently where an instruction leaves the way open."""

from __future__ import annotations

from dataclasses import dataclass

from convergebench.editors.classical.removal import Fill, inpainted


@dataclass(frozen=True)
class Technique:
    """The defaults are those of `classical`."""

    fill: Fill = inpainted
    """Paints what a removed thing has hidden."""
    careful: bool = False
    """Finds what it removes to a fraction of a pixel, and draws sepia and fog that it can undo."""
    remainder: float = 0.0
    """The share of a thing, a tone or a veil that stays when it is removed."""
