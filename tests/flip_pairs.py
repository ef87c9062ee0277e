"""Pairs of pictures for tests of ꟻLIP, and NVIDIA's own implementation as the reference."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import flip_evaluator
import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from convergebench.types import Pixels


def nvidia_map(source: Pixels, result: Pixels, pixels_per_degree: float) -> NDArray[np.float32]:
    """The map of flip-evaluator."""
    one, other = (np.ascontiguousarray(pixels, np.float32) / 255 for pixels in (source, result))
    found, _, _ = flip_evaluator.evaluate(
        one, other, "LDR", applyMagma=False, parameters={"ppd": pixels_per_degree}
    )
    return np.asarray(found, np.float32)[..., 0]


def worn(source: Pixels) -> dict[str, Pixels]:
    """A photograph as compression, noise, tints, moves and a local edit leave it."""
    random = np.random.default_rng(0)

    def jpeg(quality: int) -> Pixels:
        return np.asarray(
            cv2.imdecode(cv2.imencode(".jpg", source, [cv2.IMWRITE_JPEG_QUALITY, quality])[1], 1), np.uint8
        )

    def added(amount: NDArray[np.float64] | tuple[int, int, int]) -> Pixels:
        return np.clip(source + np.asarray(amount), 0, 255).astype(np.uint8)

    painted = source.copy()
    painted[: source.shape[0] // 8, : source.shape[1] // 5] = (200, 30, 40)
    return {
        "jpeg 75": jpeg(75),
        "jpeg 10": jpeg(10),
        "noise": added(random.normal(0, 8, source.shape)),
        "lighter": added((8, 8, 8)),
        "greener": added((0, 16, 0)),
        "blurred": np.asarray(cv2.GaussianBlur(source, (0, 0), 1.5), np.uint8),
        "moved": np.roll(source, 2, axis=1),
        "painted": painted,
        "mirrored": source[:, ::-1],
    }


@st.composite
def pairs(draw: st.DrawFn, smallest: int = 1) -> tuple[Pixels, Pixels]:
    """Two pictures of one size: unrelated, or the second a changed form of the first."""
    sides = st.integers(smallest, 60)
    shape = (draw(sides), draw(sides), 3)
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    source = _made(draw, random, shape)
    changes: dict[str, Callable[[], Pixels]] = {
        "another": lambda: _made(draw, random, shape),
        "inverted": lambda: 255 - source,
        "offset": lambda: np.clip(source + random.integers(-3, 4, 3), 0, 255).astype(np.uint8),
        "specks": lambda: np.where(random.random((*shape[:2], 1)) < 0.05, _noise(random, shape), source),
        "patch": lambda: np.where(_patch(random, shape), _noise(random, (1, 1, 3)), source),
    }
    return source, changes[draw(st.sampled_from(sorted(changes)))]()


def _made(draw: st.DrawFn, random: np.random.Generator, shape: tuple[int, int, int]) -> Pixels:
    colours = _noise(random, (2, 1, 1, 3))
    kinds: dict[str, Callable[[], Pixels]] = {
        "noise": lambda: _noise(random, shape),
        "flat": lambda: np.broadcast_to(colours[0], shape).copy(),
        "grey": lambda: np.full(shape, random.integers(0, 256), np.uint8),
        "two levels": lambda: np.where(random.random(shape) < 0.5, 0, 255).astype(np.uint8),
        "two colours": lambda: np.where(random.random((*shape[:2], 1)) < 0.5, *colours),
        "halves": lambda: (
            np.where(np.arange(shape[1])[:, None] < shape[1] // 2, *colours)
            .repeat(shape[0], axis=0)
            .reshape(shape)
        ),
        "slope": lambda: np.broadcast_to(np.linspace(0, 255, shape[1])[:, None], shape).astype(np.uint8),
    }
    return kinds[draw(st.sampled_from(sorted(kinds)))]()


def _noise(random: np.random.Generator, shape: tuple[int, ...]) -> Pixels:
    return random.integers(0, 256, shape, dtype=np.uint8)


def _patch(random: np.random.Generator, shape: tuple[int, int, int]) -> NDArray[np.bool_]:
    mask = np.zeros((*shape[:2], 1), bool)
    top, left = random.integers(0, shape[0]), random.integers(0, shape[1])
    mask[top : top + 6, left : left + 6] = True
    return mask
