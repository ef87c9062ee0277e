"""Probes: editors that ignore the instruction and degrade the picture in one known way each.

They calibrate the metrics: a metric's value for a probe can be compared with the known degradation.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from convergebench.editors.pixel import PixelEditor
from convergebench.editors.registry import editor
from convergebench.errors import WrongUse
from convergebench.types import EditorFacts, Parameter, Pixels

VERSION = "1"


RANGES = {
    "quality": (1, 100),
    "scale": (0.02, 1),
    "sigma": (0, 128),
    "amount": (0, 128),
    "dx": (-1000, 1000),
    "dy": (-1000, 1000),
    "percent": (-90, 900),
    "degrees": (-180, 180),
}


def _probe(name: str, summary: str, **defaults: Parameter) -> None:
    @editor(name, summary=summary, version=VERSION, role="probe", price_usd=0.0, parameters=defaults)
    def build(facts: EditorFacts) -> PixelEditor:
        from convergebench.editors import _degradations

        _check_strength(facts)

        wear: Callable[..., Pixels] = getattr(_degradations, name)
        return PixelEditor(facts, partial(_apply, wear, dict(facts.parameters)))


def _check_strength(facts: EditorFacts) -> None:
    for key, value in facts.parameters.items():
        low, high = RANGES[key]
        if not (isinstance(value, (int, float)) and low <= value <= high):
            raise WrongUse(f"{facts.name}: {key} must be from {low} to {high}")


def _apply(
    wear: Callable[..., Pixels], parameters: dict[str, Any], pixels: Pixels, instruction: str, seed: int
) -> Pixels:
    return wear(pixels, seed=seed, **parameters)


_probe("jpeg", "saves as JPEG", quality=75)
_probe("resize", "scales down and up again", scale=0.75)
_probe("blur", "blurs with a Gaussian", sigma=0.6)
_probe("noise", "adds Gaussian noise", sigma=4.0)
_probe("sharpen", "sharpens by unsharp mask", amount=0.3)
_probe("shift", "moves the picture", dx=1.0, dy=0.0)
_probe("zoom", "magnifies about the middle", percent=0.5)
_probe("rotate", "turns about the middle", degrees=0.25)
_probe("tint", "moves the colours towards green", amount=3.0)
_probe("desaturate", "takes colour out", percent=5.0)
_probe("contrast", "raises the contrast about mid-grey", percent=4.0)
