from __future__ import annotations

import io

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from convergebench.metrics import MetricOptions
from convergebench.metrics._lpips_map import lpips_with
from convergebench.metrics.flip import flip_against
from convergebench.metrics.regions import Footprint, ReferencePicture, locate_edit
from convergebench.report.page.breakage import KINDS, ReturnedRound, drawn_breakage
from convergebench.types import Pixels
from made_pictures import textured

LEFT, REWRITTEN, COLLATERAL = (slice(20, 80), slice(20, 80)), (slice(20, 80), slice(80, 140)), (
    slice(150, 190), slice(200, 240))  # fmt: skip


@pytest.fixture(scope="module")
def drawing() -> NDArray[np.uint8]:
    """Half of the edited square is left behind, the other half is rewritten; a patch elsewhere changed."""
    return drawn_of(textured(256, 200, seed=3))


def drawn_of(source: Pixels) -> NDArray[np.uint8]:
    forward, returned = source.copy(), source.copy()
    forward[20:80, 20:140] = (255, 0, 0)
    returned[LEFT] = (255, 0, 0)
    returned[REWRITTEN] = np.minimum(source[REWRITTEN].astype(int) + 50, 255)
    returned[COLLATERAL] = (0, 255, 0)
    pictures: dict[str, Pixels] = {"source": source, "forward": forward, "returned": returned}
    footprint = locate_edit(
        ReferencePicture(source, flip_against, lpips_with(MetricOptions())), forward, "local"
    ).footprint
    one = ReturnedRound("source", "source", "forward", "returned", (("source", "forward"),), left_behind=0.5)
    png = drawn_breakage(one, {("source", "forward"): stored(footprint)}, pictures.__getitem__)
    with Image.open(io.BytesIO(png)) as opened:
        return np.asarray(opened.convert("RGBA"))


def stored(footprint: Footprint) -> str:
    import base64
    import json

    return json.dumps({"mask": base64.b85encode(footprint.to_bytes()).decode()})


@pytest.mark.parametrize("place", range(3))
def test_each_kind_of_breakage_has_its_colour_where_it_is(drawing: NDArray[np.uint8], place: int) -> None:
    middle = drawing[(LEFT, REWRITTEN, COLLATERAL)[place]][15:-15, 15:-15]
    assert {tuple(pixel) for pixel in middle[..., :3].reshape(-1, 3).tolist()} == {KINDS[place][1]}
    assert (middle[..., 3] > 0).all()


def test_what_is_as_it_was_is_transparent(drawing: NDArray[np.uint8]) -> None:
    assert not drawing[120:195, 10:150, 3].any()


def test_a_drawing_has_the_size_of_its_source_and_is_at_most_512_pixels_long(
    drawing: NDArray[np.uint8],
) -> None:
    assert drawing.shape[:2] == (200, 256)
    narrow = textured(300, 900, seed=4)  # a third of its sides is 171 × 512, of which a half is not 85 × 256
    assert drawn_of(narrow).shape[:2] == (512, 171)
