from __future__ import annotations

import io

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.typing import NDArray
from PIL import Image

from convergebench.metrics.flip import flip_against
from convergebench.metrics.regions import Footprint, ReferencePicture, locate_edit
from convergebench.types import Pixels
from drawn_chains import LPIPS, DrawnChain, disc_mask, moved, noised, painted, room, tinted

ROOM = room()


def overlap(one: NDArray[np.bool_], other: NDArray[np.bool_]) -> float:
    return float((one & other).sum() / (one | other).sum())


def widened(mask: NDArray[np.bool_], pixels: int) -> NDArray[np.bool_]:
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * pixels + 1, 2 * pixels + 1))
    return np.asarray(cv2.dilate(mask.astype(np.uint8), disc) > 0)


def jpeg(pixels: Pixels, quality: int) -> Pixels:
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "JPEG", quality=quality, subsampling=0)
    return np.asarray(Image.open(file))


@pytest.mark.parametrize("radius", [4, 10, 18, 35])
def test_it_holds_what_was_added_and_a_narrow_margin(radius: int) -> None:
    added = disc_mask(radius=radius)
    found = DrawnChain(ROOM).located(painted(ROOM, added)).footprint
    assert found.mask[added].mean() > 0.99
    assert not found.mask[~widened(added, 6)].any()


@pytest.mark.parametrize(
    "worn",
    [
        pytest.param(noised(ROOM, 16), id="noise"),
        pytest.param(tinted(ROOM, 16), id="tint"),
        pytest.param(jpeg(ROOM, 50), id="jpeg"),
        pytest.param(moved(ROOM, 3, -2), id="shift"),
        pytest.param(ROOM, id="nothing"),
    ],
)
def test_wear_alone_leaves_it_empty(worn: Pixels) -> None:
    found = DrawnChain(ROOM).located(worn).footprint
    assert found.is_empty
    assert found.share == 0


@pytest.mark.parametrize("sigma", [4, 8, 16])
@pytest.mark.parametrize("tint", [0, 8, 16])
def test_wear_does_not_change_where_an_edit_is_found(sigma: float, tint: float) -> None:
    forward = painted(ROOM, disc_mask())
    clean = DrawnChain(ROOM).located(forward).footprint
    worn = DrawnChain(ROOM).located(tinted(noised(forward, sigma), tint)).footprint
    assert overlap(clean.mask, worn.mask) > 0.8


@pytest.mark.parametrize(("right", "down", "zoom"), [(2, 0, 1.0), (-5, 3, 1.0), (0, 0, 0.95), (3, 2, 1.04)])
def test_an_edit_is_found_in_the_input_though_the_picture_moved(
    right: float, down: float, zoom: float
) -> None:
    forward = painted(ROOM, disc_mask())
    still = DrawnChain(ROOM).located(forward).footprint
    found = DrawnChain(ROOM).located(moved(forward, right, down, zoom)).footprint
    assert overlap(still.mask, found.mask) > 0.7


def test_another_picture_is_edited_nearly_everywhere() -> None:
    assert DrawnChain(ROOM).located(np.ascontiguousarray(255 - room(seed=5))).footprint.share > 0.8


def test_its_core_is_where_the_edit_shows_most() -> None:
    strong, weak = disc_mask(), disc_mask((110, 40), 14)
    faint = tinted(ROOM, 20)[weak].mean(axis=0).astype(int)
    forward = painted(painted(ROOM, strong), weak, tuple(faint))
    found = DrawnChain(ROOM).located(forward).footprint
    assert found.mask[weak].mean() > 0.9
    assert found.core[strong].mean() > 0.9
    assert found.core[weak].mean() < 0.1
    assert not (found.core & ~found.mask).any()


def test_it_is_found_at_256_pixels_whatever_the_size_of_the_picture() -> None:
    large = cv2.resize(ROOM, (384, 320), interpolation=cv2.INTER_CUBIC)
    added = disc_mask((140, 180), 52, 320, 384)
    edit = locate_edit(ReferencePicture(large, flip_against, LPIPS), painted(large, added), "local")
    assert edit.footprint.mask.shape == (213, 256)
    assert edit.footprint.share == pytest.approx(widened(added, 8).mean(), rel=0.1)


def test_a_global_edit_touches_everything() -> None:
    found = DrawnChain(ROOM, "global").located(tinted(ROOM, 40)).footprint
    assert found.share == 1
    assert found.core.mean() > 0.5


@given(arrays(bool, array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=40)), st.floats(0, 1, width=32))
def test_it_is_stored_in_bytes_and_read_again(mask: NDArray[np.bool_], peak: float) -> None:
    core = mask & np.roll(mask, 1, axis=0)
    read = Footprint.from_bytes(Footprint(mask, core, peak).to_bytes())
    assert np.array_equal(read.mask, mask)
    assert np.array_equal(read.core, core)
    assert read.peak == peak


def test_it_is_small_in_the_store() -> None:
    assert len(DrawnChain(ROOM).located(painted(ROOM, disc_mask())).footprint.to_bytes()) < 1000
