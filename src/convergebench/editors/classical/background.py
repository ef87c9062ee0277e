"""Blurs a background, and sharpens it again as far as its blur allows."""

from __future__ import annotations

import cv2
import numpy as np

from convergebench.editors.classical.smoothing import blurred, brightness, rounded, spread
from convergebench.editors.classical.sprites import Field
from convergebench.editors.classical.subject import subject_of
from convergebench.types import Pixels, Refused

_BLUR = 0.012
"""Standard deviation as a share of the picture's shorter side: six pixels of 512."""
_SHARP, _WIDEST = 1.6, 0.014
_LEAST_EDGES = 0.02
_NOISE = np.float32(1e-2)
"""As a share of the signal; below it, deconvolution would amplify noise instead of detail."""


def blurred_background(pixels: Pixels) -> Pixels:
    subject = subject_of(pixels)
    soft = spread(pixels.astype(np.float32), 1 - subject, _BLUR * min(pixels.shape[:2]))
    return _behind(pixels, soft, subject)


def sharpened_background(pixels: Pixels) -> Pixels:
    """Deconvolved by a Gaussian as wide as the blur that its edges show; refused where they are sharp."""
    subject = subject_of(pixels)
    sigma = _blur_of(pixels, subject)
    if sigma < _SHARP:
        raise Refused("the background is not blurred")
    colours = pixels.astype(np.float32)
    # The subject's sharp edge would ring: the background is continued behind it and stays soft next to it.
    continued = spread(colours, 1 - subject, sigma)
    plain = colours * (1 - subject[..., None]) + continued * subject[..., None]
    beside = blurred(_grown(subject, 1.5 * sigma), sigma)
    return _behind(
        pixels, _within_reach(_deconvolved(plain, sigma), plain, sigma), np.maximum(subject, beside)
    )


def _behind(pixels: Pixels, background: Field, subject: Field) -> Pixels:
    share = subject[..., None]
    return rounded(pixels.astype(np.float32) * share + background * (1 - share))


def _within_reach(sharp: Field, soft: Field, sigma: float) -> Field:
    """Limits the ringing of a deconvolution: values stay near the range of their neighbourhood."""
    high, low = _grown(soft, 2 * sigma), -_grown(-soft, 2 * sigma)
    slack = 0.25 * (high - low) + 2
    return np.clip(sharp, low - slack, high + slack)


def _grown(plane: Field, radius: float) -> Field:
    side = 2 * max(1, round(radius)) + 1
    return np.asarray(cv2.dilate(plane, np.ones((side, side), np.uint8)), np.float32)


def _blur_of(pixels: Pixels, subject: Field) -> float:
    """Estimated from how much softer the clearest edges become when blurred again (Zhuo and Sim 2011)."""
    grey = brightness(pixels.astype(np.float32))
    again = 0.006 * min(grey.shape) + 0.5
    before, after = _steepness(grey), _steepness(blurred(grey, again))
    away = cv2.dilate((subject > 0.05).astype(np.uint8), np.ones((9, 9), np.uint8)) == 0
    if away.mean() < _LEAST_EDGES:
        raise Refused("the picture has too little background")
    steep = away & (before >= np.percentile(before[away], 90)) & (after > 0.05)
    ratio = np.maximum(before[steep] / after[steep], 1.0005)
    widths = again / np.sqrt(ratio**2 - 1)
    return min(_WIDEST * min(grey.shape), float(np.median(widths))) if steep.any() else 0.0


def _steepness(grey: Field) -> Field:
    return np.asarray(cv2.magnitude(cv2.Sobel(grey, cv2.CV_32F, 1, 0), cv2.Sobel(grey, cv2.CV_32F, 0, 1)))


def _deconvolved(colours: Field, sigma: float) -> Field:
    """Wiener's filter for a Gaussian; cosines, so that the borders continue as mirror images."""
    from scipy.fft import dctn, idctn

    height, width = colours.shape[:2]
    down, across = (np.pi * np.arange(n, dtype=np.float32) / n for n in (height, width))
    passed = np.exp(-(sigma**2) * (down[:, None] ** 2 + across**2) / 2)
    restore = (passed / (passed**2 + _NOISE))[..., None]
    spectrum = dctn(colours, axes=(0, 1), norm="ortho") * restore / restore[0, 0]
    return np.asarray(idctn(spectrum, axes=(0, 1), norm="ortho"), np.float32)
