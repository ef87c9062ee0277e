"""CLIP in half precision on a CPU, if that is accurate and about twice as fast.

Products are in bfloat16, for which few processors have instructions. The deviation depends on the weights, so
it is measured with these weights first, once on each machine.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from convergebench.metrics._clip_tower import ClipTower
from convergebench.packaged_files import cache_folder
from convergebench.types import fingerprint_of

if TYPE_CHECKING:
    from torch import Tensor

TOLERANCE = 1e-3
"""The maximum deviation of a cosine from its value in 32 bits."""
INSTRUCTIONS = ("avx512_bf16", "amx_bf16")


def halved_if_as_good(tower: ClipTower, weights: str) -> ClipTower:
    """The tower with its products in bfloat16, or the tower itself if that is unsuitable."""
    import torch

    has: dict[str, Any] = getattr(torch.cpu, "get_capabilities", dict)()
    if not any(has.get(name) for name in INSTRUCTIONS):
        return tower
    halved = tower.of_type(torch.bfloat16)
    tried = fingerprint_of(weights, torch.__version__, str(has.get("cpu_name")))
    return halved if _known_difference(tower, halved, tried) <= TOLERANCE else tower


def difference(tower: ClipTower, halved: ClipTower) -> float:
    """The largest deviation between their cosines, over similar and dissimilar pictures."""
    pictures = _samples(tower.side)
    exact, quick = (embedded @ embedded.T for embedded in (tower(pictures), halved(pictures)))
    return float((exact - quick).abs().max())


def _known_difference(tower: ClipTower, halved: ClipTower, tried: str) -> float:
    record = cache_folder() / "clip" / tried
    with contextlib.suppress(OSError, ValueError):
        return float(record.read_text())
    found = difference(tower, halved)
    with contextlib.suppress(OSError):  # tried again next time
        record.parent.mkdir(parents=True, exist_ok=True)
        record.write_text(f"{found}")
    return found


def _samples(side: int) -> Tensor:
    """Large shapes with fine grain, as photographs have: one, another, and the first with other grain."""
    import torch
    from torch.nn.functional import interpolate

    draw = torch.Generator().manual_seed(0)
    shapes = torch.randn((2, 3, 7, 7), generator=draw)
    large = interpolate(shapes, (side, side), mode="bicubic", align_corners=False)
    grain = torch.randn((3, 3, side, side), generator=draw)
    return torch.stack([large[0], large[1], large[0]]) + 0.1 * grain
