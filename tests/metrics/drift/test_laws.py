"""What holds for every drift metric and any picture."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from convergebench.metrics import MetricSet, expand, facts
from convergebench.picture import Picture
from convergebench.types import Pixels
from made_pictures import textured

DRIFT = expand(["drift"])
RULER = MetricSet(["drift"])
sides = st.tuples(st.integers(8, 90), st.integers(8, 90)) | st.sampled_from([(8, 700), (33, 600), (500, 40)])
noise = sides.flatmap(lambda side: arrays(np.uint8, (*side, 3)))
structured = st.tuples(sides, st.integers(0, 99)).map(lambda it: textured(it[0][1], it[0][0], it[1]))
grey = structured.map(lambda pixels: pixels[..., :1].repeat(3, axis=2))
flat = st.tuples(sides, st.integers(0, 255)).map(lambda it: np.full((*it[0], 3), it[1], np.uint8))
pictures = noise | structured | grey | flat


@given(pictures)
def test_a_picture_did_not_drift_from_itself(pixels: Pixels) -> None:
    picture = Picture.from_pixels(pixels)
    (row,) = RULER.measure([(picture, picture)])
    assert set(row) == set(DRIFT)
    for name, measured in row.items():
        if measured.value is None:
            assert measured.missing
            assert "failed" not in measured.missing
        else:
            assert math.isclose(measured.value, facts(name).perfect, abs_tol=1e-7), name


@settings(max_examples=60)
@given(pictures, pictures)
def test_any_two_pictures_give_finite_values_in_range_or_reasons(one: Pixels, other: Pixels) -> None:
    (row,) = RULER.measure([(Picture.from_pixels(one), Picture.from_pixels(other))])
    for name, measured in row.items():
        if measured.value is None:
            assert measured.missing
            assert "failed" not in measured.missing, name
            continue
        assert math.isfinite(measured.value), name
        if facts(name).unit == "×" or facts(name).better == "lower":
            assert measured.value >= 0, name
        if name == "registered_area":
            assert 0 < measured.value <= 1


@settings(max_examples=15)
@given(st.integers(0, 99), st.integers(0, 99))
def test_going_back_undoes_what_has_no_place(one: int, other: int) -> None:
    """Differences change their sign, ratios turn over, and the colour difference is the same both ways."""
    first, second = (Picture.from_pixels(textured(64, 48, seed)) for seed in (one, other))
    there, back = RULER.measure([(first, second), (second, first)])
    value = {name: (there[name].value, back[name].value) for name in DRIFT}
    for name in ("delta_e", "clipped", "blocking", "contrast", "saturation"):
        forth, again = value[name]
        assert forth is not None
        assert again is not None
        match name:
            case "delta_e":
                assert math.isclose(forth, again, rel_tol=1e-4)
            case "contrast" | "saturation":
                assert math.isclose(forth * again, 1, rel_tol=1e-6)
            case _:
                assert math.isclose(forth, -again, abs_tol=1e-9)
