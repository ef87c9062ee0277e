"""How the built-in editors differ in carrying out the same instruction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from convergebench.editors.classical.removal import Fill
    from convergebench.types import Pixels


def opencv_fill(pixels: Pixels, hole: NDArray[np.uint8]) -> Pixels:
    """Inpainting by OpenCV, which is imported on first use because that is slow."""
    from convergebench.editors.classical.removal import inpainted

    return inpainted(pixels, hole)


@dataclass(frozen=True)
class Technique:
    """The defaults are those of `classical`."""

    fill: Fill = opencv_fill
    """The inpainting method for removed things."""
    careful: bool = False
    """Whether it locates things to a fraction of a pixel, and uses reversible sepia and fog."""
    remainder: float = 0.0
    """The share of a thing, a tone or a veil that remains after its removal."""
