"""Composites a thing into a picture."""

from __future__ import annotations

import cv2
import numpy as np

from convergebench.editors.classical.sprites import Layer
from convergebench.types import Pixels


def composited(pixels: Pixels, layer: Layer) -> Pixels:
    """The layer over the picture, with the picture's own noise on it."""
    ground = pixels[layer.window].astype(np.float32)
    noise = np.random.default_rng(5).standard_normal(layer.alpha.shape).astype(np.float32)
    thing = layer.colours + 0.7 * _noise_of(pixels) * noise[..., None]
    alpha = layer.alpha[..., None]
    mixed = ground * (1 - layer.shadow[..., None]) * (1 - alpha) + thing * alpha
    result = pixels.copy()
    result[layer.window] = np.clip(mixed.round(), 0, 255).astype(np.uint8)
    return result


def _noise_of(pixels: Pixels) -> float:
    """Standard deviation of the noise, by the median of a filter that ignores smooth areas and edges."""
    grey = np.asarray(cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY), np.float32)
    kernel = np.array([[1, -2, 1], [-2, 4, -2], [1, -2, 1]], np.float32) / 6
    return min(6.0, 1.4826 * float(np.median(np.abs(cv2.filter2D(grey, -1, kernel)))))
