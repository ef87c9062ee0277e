"""An editor that ends its own process in the middle of a run, as kill -9 does, where it is told to."""

from __future__ import annotations

import os
import signal

import numpy as np
from PIL import Image

DIES_AT = "DYING_EDITOR_DIES_AT"
"""The variable with the number of the edit, counted from 1, that no process survives."""
_edits = 0


def edit(image: Image.Image, instruction: str, seed: int) -> Image.Image:
    """Paints a corner in a colour that follows from the instruction."""
    global _edits
    _edits += 1
    if str(_edits) == os.environ.get(DIES_AT):
        os.kill(os.getpid(), signal.SIGKILL)
    pixels = np.array(image)
    pixels[:8, :8] = sum(instruction.encode()) % 256
    return Image.fromarray(pixels)
