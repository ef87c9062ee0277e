"""Common operations for drawn pictures: ramps, noise, blur, and the conversion from light to pixels."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from convergebench.types import Pixels

SIDE = 512
Field: TypeAlias = NDArray[np.float64]
"""A number for each pixel: height × width."""
Light: TypeAlias = NDArray[np.float64]
"""Linear light, 1 is white: height × width × 3."""
Colour: TypeAlias = tuple[float, float, float]


def canvas(side: int = SIDE) -> tuple[Field, Field]:
    """x to the right and y downwards at the pixels' centres, from 0 to 1."""
    middle = (np.arange(side) + 0.5) / side
    x, y = np.meshgrid(middle, middle)
    return x, y


def ramp(start: float | Field, end: float | Field, value: Field) -> Field:
    """0 up to `start`, 1 from `end`, smooth between; `start` may be the larger."""
    t = np.clip((value - start) / (end - start), 0.0, 1.0)
    return t * t * (3.0 - 2.0 * t)


def mix(below: Light | Colour, above: Light | Colour, share: Field) -> Light:
    """Blend of `below` and `above`: `above` where the share is 1."""
    base: Light = np.asarray(below, np.float64)
    top: Light = np.asarray(above, np.float64)
    return base + (top - base) * share[..., None]


def wave(t: Field) -> Field:
    """A sine approximated by parabolas: period 1, between -1 and 1."""
    phase = t - np.floor(t)
    half = np.where(phase < 0.5, phase, phase - 0.5) * 2.0
    return np.where(phase < 0.5, 4.0, -4.0) * half * (1.0 - half)


def length(*parts: Field) -> Field:
    total = parts[0] * parts[0]
    for part in parts[1:]:
        total = total + part * part
    return np.sqrt(total)


def power(base: Field, doublings: int) -> Field:
    """The base raised to 2 ** doublings, by squaring."""
    for _ in range(doublings):
        base = base * base
    return base


class Noise:
    """Smooth randomness over the plane, from 0 to 1, with features one unit wide."""

    _CELLS = 256
    _WRAP = _CELLS - 1

    def __init__(self, seed: int) -> None:
        self._lattice = np.random.Generator(np.random.PCG64(seed)).random(self._CELLS * self._CELLS)

    def at(self, u: Field, v: Field) -> Field:
        left, top = np.floor(u), np.floor(v)
        right_share, bottom_share = _eased(u - left), _eased(v - top)
        column, row = left.astype(np.int64), top.astype(np.int64)
        upper = self._between(row, column, right_share)
        lower = self._between(row + 1, column, right_share)
        return upper + (lower - upper) * bottom_share

    def rough(self, u: Field, v: Field, octaves: int = 5) -> Field:
        """Noise in several octaves, each half as wide and half as strong."""
        total, strength = self.at(u, v) * 0.5, 0.5
        for octave in range(1, octaves):
            strength /= 2.0
            scale, shift = 2.0**octave, 17.25 * octave
            total = total + self.at(u * scale + shift, v * scale + shift) * strength
        return total / (1.0 - strength)

    def ridged(self, u: Field, v: Field, octaves: int = 6) -> Field:
        """Ridged noise, with sharp crests as in mountains."""
        total, strength, carried = np.zeros_like(u), 0.5, np.ones_like(u)
        for octave in range(octaves):
            scale, shift = 2.0**octave, 31.75 * octave
            crest = 1.0 - np.abs(self.at(u * scale + shift, v * scale + shift) * 2.0 - 1.0)
            carried = np.clip(crest * crest * carried * 1.6, 0.0, 1.0)
            total = total + carried * strength
            strength /= 2.0
        return total

    def _between(self, row: NDArray[np.int64], column: NDArray[np.int64], share: Field) -> Field:
        first = (row & self._WRAP) * self._CELLS
        left = self._lattice.take(first + (column & self._WRAP))
        right = self._lattice.take(first + ((column + 1) & self._WRAP))
        return left + (right - left) * share


def _eased(t: Field) -> Field:
    return t * t * t * (t * (t * 6.0 - 15.0) + 10.0)


def blurred(values: NDArray[np.float64], radius: int) -> NDArray[np.float64]:
    """Two box blurs over both axes; edges are repeated."""
    for _ in range(2):
        for axis in (0, 1):
            values = _boxed(values, radius, axis)
    return values


def _boxed(values: NDArray[np.float64], radius: int, axis: int) -> NDArray[np.float64]:
    margins = [(0, 0)] * values.ndim
    margins[axis] = (radius + 1, radius)
    # Running totals are summed in order, so they are exact on every machine, unlike np.sum.
    totals = np.cumsum(np.pad(values, margins, mode="edge"), axis=axis)
    size, width = values.shape[axis], 2 * radius + 1
    upto, before = np.arange(width, width + size), np.arange(size)
    return (np.take(totals, upto, axis) - np.take(totals, before, axis)) / width


def halved(light: Light) -> Light:
    """Half the size, each pixel the mean of four."""
    return (light[::2, ::2] + light[1::2, ::2] + light[::2, 1::2] + light[1::2, 1::2]) / 4.0


def developed(light: Light, *, grain: float, seed: int) -> Pixels:
    """The pixels of a photograph of this light, with rolled-off highlights, lifted shadows and film grain."""
    bounded = np.clip(light, 0.0, None)
    toned = np.sqrt(bounded * (1.0 + bounded * 0.18) / (1.0 + bounded * 0.18 + bounded * bounded * 0.18))
    random = np.random.Generator(np.random.PCG64(seed))
    noise = random.random(light.shape[:2]) + random.random(light.shape[:2]) - 1.0
    return np.clip(np.floor((toned + noise[..., None] * grain) * 255.0 + 0.5), 0.0, 255.0).astype(np.uint8)
