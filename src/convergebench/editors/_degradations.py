"""Degradations of pixels for probes. Each takes the picture, a seed, and its strength."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from convergebench.types import Pixels

Numbers = NDArray[np.floating[Any]]


def jpeg(pixels: Pixels, *, seed: int, quality: int) -> Pixels:
    _, data = cv2.imencode(".jpg", pixels[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, quality])
    return _from_bgr(cv2.imdecode(data, cv2.IMREAD_COLOR))


def reencode(pixels: Pixels, *, seed: int, scale: float, quality: int, cast: float) -> Pixels:
    """Similar to a model's latent code: reduced, JPEG, enlarged; red raised and blue lowered by `cast` per
    cent."""
    decoded = jpeg(resize(pixels, seed=seed, scale=scale), seed=seed, quality=quality)
    return _clipped(decoded * (1 + np.array([cast, 0.0, -cast]) / 100))


def resize(pixels: Pixels, *, seed: int, scale: float) -> Pixels:
    height, width = pixels.shape[:2]
    small = (max(1, round(width * scale)), max(1, round(height * scale)))
    down = cv2.resize(pixels, small, interpolation=cv2.INTER_AREA)
    return _rgb(cv2.resize(down, (width, height), interpolation=cv2.INTER_CUBIC))


def blur(pixels: Pixels, *, seed: int, sigma: float) -> Pixels:
    return _rgb(cv2.GaussianBlur(pixels, (0, 0), sigma))


def noise(pixels: Pixels, *, seed: int, sigma: float) -> Pixels:
    grain = np.random.default_rng(seed).normal(0.0, sigma, pixels.shape)
    return _clipped(pixels + grain)


def sharpen(pixels: Pixels, *, seed: int, amount: float) -> Pixels:
    soft = cv2.GaussianBlur(pixels, (0, 0), 1.0)
    return _rgb(cv2.addWeighted(pixels, 1 + amount, soft, -amount, 0))


def shift(pixels: Pixels, *, seed: int, dx: float, dy: float) -> Pixels:
    return _warped(pixels, np.array([[1, 0, dx], [0, 1, dy]], np.float64))


def zoom(pixels: Pixels, *, seed: int, percent: float) -> Pixels:
    return _warped(pixels, cv2.getRotationMatrix2D(_middle(pixels), 0, 1 + percent / 100))


def rotate(pixels: Pixels, *, seed: int, degrees: float) -> Pixels:
    return _warped(pixels, cv2.getRotationMatrix2D(_middle(pixels), degrees, 1))


def tint(pixels: Pixels, *, seed: int, amount: float) -> Pixels:
    """Green up, red and blue down by half as much, so that the brightness stays about the same."""
    return _clipped(pixels + np.array([-amount / 2, amount, -amount / 2]))


def desaturate(pixels: Pixels, *, seed: int, percent: float) -> Pixels:
    grey = pixels @ np.array([0.299, 0.587, 0.114])
    share = percent / 100
    return _clipped(pixels * (1 - share) + grey[..., None] * share)


def contrast(pixels: Pixels, *, seed: int, percent: float) -> Pixels:
    return _clipped(127.5 + (pixels - 127.5) * (1 + percent / 100))


def _warped(pixels: Pixels, matrix: object) -> Pixels:
    height, width = pixels.shape[:2]
    return _rgb(
        cv2.warpAffine(
            pixels,
            np.asarray(matrix, np.float64),
            (width, height),
            flags=cv2.INTER_CUBIC,
            borderMode=cv2.BORDER_REFLECT_101,
        )
    )


def _middle(pixels: Pixels) -> tuple[float, float]:
    height, width = pixels.shape[:2]
    return (width - 1) / 2, (height - 1) / 2


def _clipped(values: Numbers) -> Pixels:
    return np.clip(np.rint(values), 0, 255).astype(np.uint8)


def _rgb(image: object) -> Pixels:
    return np.asarray(image, np.uint8)


def _from_bgr(image: object) -> Pixels:
    return np.ascontiguousarray(np.asarray(image, np.uint8)[..., ::-1])
