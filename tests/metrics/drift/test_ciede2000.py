from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from skimage.color import deltaE_ciede2000, rgb2lab

from convergebench.metrics.drift._ciede2000 import ciede2000, lab_of, lab_of_colour

# Sharma, Wu and Dalal, "The CIEDE2000 color-difference formula" (2005), table 1.
SHARMA = np.array(
    [
        [50.0000, 2.6772, -79.7751, 50.0000, 0.0000, -82.7485, 2.0425],
        [50.0000, 3.1571, -77.2803, 50.0000, 0.0000, -82.7485, 2.8615],
        [50.0000, 2.8361, -74.0200, 50.0000, 0.0000, -82.7485, 3.4412],
        [50.0000, -1.3802, -84.2814, 50.0000, 0.0000, -82.7485, 1.0000],
        [50.0000, -1.1848, -84.8006, 50.0000, 0.0000, -82.7485, 1.0000],
        [50.0000, -0.9009, -85.5211, 50.0000, 0.0000, -82.7485, 1.0000],
        [50.0000, 0.0000, 0.0000, 50.0000, -1.0000, 2.0000, 2.3669],
        [50.0000, -1.0000, 2.0000, 50.0000, 0.0000, 0.0000, 2.3669],
        [50.0000, 2.4900, -0.0010, 50.0000, -2.4900, 0.0009, 7.1792],
        [50.0000, 2.4900, -0.0010, 50.0000, -2.4900, 0.0010, 7.1792],
        [50.0000, 2.4900, -0.0010, 50.0000, -2.4900, 0.0011, 7.2195],
        [50.0000, 2.4900, -0.0010, 50.0000, -2.4900, 0.0012, 7.2195],
        [50.0000, -0.0010, 2.4900, 50.0000, 0.0009, -2.4900, 4.8045],
        [50.0000, -0.0010, 2.4900, 50.0000, 0.0010, -2.4900, 4.8045],
        [50.0000, -0.0010, 2.4900, 50.0000, 0.0011, -2.4900, 4.7461],
        [50.0000, 2.5000, 0.0000, 50.0000, 0.0000, -2.5000, 4.3065],
        [50.0000, 2.5000, 0.0000, 73.0000, 25.0000, -18.0000, 27.1492],
        [50.0000, 2.5000, 0.0000, 61.0000, -5.0000, 29.0000, 22.8977],
        [50.0000, 2.5000, 0.0000, 56.0000, -27.0000, -3.0000, 31.9030],
        [50.0000, 2.5000, 0.0000, 58.0000, 24.0000, 15.0000, 19.4535],
        [50.0000, 2.5000, 0.0000, 50.0000, 3.1736, 0.5854, 1.0000],
        [50.0000, 2.5000, 0.0000, 50.0000, 3.2972, 0.0000, 1.0000],
        [50.0000, 2.5000, 0.0000, 50.0000, 1.8634, 0.5757, 1.0000],
        [50.0000, 2.5000, 0.0000, 50.0000, 3.2592, 0.3350, 1.0000],
        [60.2574, -34.0099, 36.2677, 60.4626, -34.1751, 39.4387, 1.2644],
        [63.0109, -31.0961, -5.8663, 62.8187, -29.7946, -4.0864, 1.2630],
        [61.2901, 3.7196, -5.3901, 61.4292, 2.2480, -4.9620, 1.8731],
        [35.0831, -44.1164, 3.7933, 35.0232, -40.0716, 1.5901, 1.8645],
        [22.7233, 20.0904, -46.6940, 23.0331, 14.9730, -42.5619, 2.0373],
        [36.4612, 47.8580, 18.3852, 36.2715, 50.5065, 21.2231, 1.4146],
        [90.8027, -2.0831, 1.4410, 91.1528, -1.6435, 0.0447, 1.4441],
        [90.9257, -0.5406, -0.9208, 88.6381, -0.8985, -0.7239, 1.5381],
        [6.7747, -0.2908, -2.4247, 5.8714, -0.0985, -2.2286, 0.6377],
        [2.0776, 0.0795, -1.1350, 0.9033, -0.0636, -0.5514, 0.9082],
    ]
)
colours = arrays(
    np.float64,
    (6, 3),
    elements=st.floats(-1, 1).map(lambda share: round(100 * share, 3)),
).map(lambda lab: lab * [0.5, 1, 1] + [50, 0, 0])
Lab = NDArray[np.float64]


@pytest.mark.parametrize("row", SHARMA, ids=[str(number) for number in range(1, 35)])
def test_the_difference_is_that_of_sharmas_table(row: Lab) -> None:
    one, other, expected = row[None, :3], row[None, 3:6], row[6]
    assert float(ciede2000(one, other)[0]) == pytest.approx(expected, abs=5e-5)
    assert float(ciede2000(other, one)[0]) == pytest.approx(expected, abs=5e-5)


@given(colours, colours)
def test_the_difference_is_scikit_images_and_symmetric(one: Lab, other: Lab) -> None:
    # For opposite hues the mean hue is a matter of the last digit.
    opposite = one[:, 1] * other[:, 1] + one[:, 2] * other[:, 2] < 0
    there, back = ciede2000(one, other), ciede2000(other, one)
    assert there == pytest.approx(back, abs=1e-6)
    assert there[~opposite] == pytest.approx(deltaE_ciede2000(one, other)[~opposite], abs=2e-3)


@given(colours)
def test_a_colour_does_not_differ_from_itself(lab: Lab) -> None:
    assert not ciede2000(lab, lab).any()


@given(arrays(np.uint8, (3, 5, 3)))
def test_lab_is_scikit_images(pixels: NDArray[np.uint8]) -> None:
    assert lab_of(pixels) == pytest.approx(rgb2lab(pixels), abs=0.01)
    assert lab_of_colour(pixels[0, 0].astype(float)) == pytest.approx(lab_of(pixels)[0, 0], abs=1e-3)


def test_greys_have_no_colour_at_all() -> None:
    ramp = np.arange(256, dtype=np.uint8)[:, None, None].repeat(3, axis=2)
    assert np.abs(lab_of(ramp)[..., 1:]).max() < 1e-3


def test_opposite_hues_of_nearly_black_pixels_keep_their_difference_in_32_bits() -> None:
    one, other = (lab_of(np.array([[levels]], np.uint8)) for levels in ([1, 0, 0], [0, 1, 1]))
    assert one.dtype == np.float32
    expected = deltaE_ciede2000(one.astype(np.float64), other.astype(np.float64))
    assert ciede2000(one, other) == pytest.approx(expected, abs=1e-4)
