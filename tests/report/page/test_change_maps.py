"""Maps of change hold CIEDE2000, in a report as files and from the server in full size."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from PIL import Image
from skimage.color import deltaE_ciede2000, rgb2lab

from convergebench.picture import Picture
from convergebench.report.page import change_maps as maps
from convergebench.report.page.live_data import LiveData
from convergebench.store import Workspace
from made_pictures import textured
from report.page.conftest import Visit
from report.page.filled import cases, source_of, worn
from report.page.test_page import PICTURE, open_film, pixels

SIZES = st.tuples(st.integers(1, 40), st.integers(1, 40))


@given(arrays(np.float32, SIZES, elements=st.floats(0, 130, width=32)))
def test_the_numbers_can_be_read_back_from_a_map(changes: Any) -> None:
    found = maps.read_back(maps.drawn(changes))
    assert np.abs(np.log1p(found) - np.log1p(np.minimum(changes, 100))).max() < 0.0101


@given(st.integers(1, 2000), st.integers(1, 2000))
def test_a_small_map_has_every_nth_pixel_and_is_never_larger_than_its_side(width: int, height: int) -> None:
    small = maps.thinned(np.zeros((height, width, 3), np.uint8))
    assert max(small.shape[:2]) <= maps.SIDE
    assert max(small.shape[:2]) >= min(max(width, height), maps.SIDE // 2)


def test_what_nobody_notices_is_black_and_colours_grow_lighter_from_there() -> None:
    shown = maps.colours_of(np.array([0, 0.5, 1, 3, 10, 30, 100, 500])).sum(axis=-1).tolist()
    assert shown[:3] == [0, 0, 0] and shown == sorted(shown) and shown[-1] == shown[-2]


def test_the_mean_of_maps_of_any_size_is_the_mean_of_their_numbers() -> None:
    ones = [maps.drawn(np.full(size, value, np.float32)) for size, value in (((30, 80), 2), ((50, 20), 6))]
    mean = maps.mean_map(ones)
    assert mean is not None and maps.mean_map([]) is None
    assert np.abs(maps.read_back(mean) - 4).max() < 0.06


def map_file(folder: Path, model: str, case: int) -> Path:
    source = source_of(cases()[case])
    result = worn(source, model, 3, forward=False)
    return folder / "page" / "maps" / maps.map_name(source.digest, result.digest)


@pytest.mark.parametrize("model", ["fading", "steady", "identity"])
def test_a_report_has_the_map_of_every_return_as_scikit_image_computes_it(written: Path, model: str) -> None:
    source = source_of(cases()[2]).pixels
    result = worn(source_of(cases()[2]), model, 3, forward=False).pixels
    expected = deltaE_ciede2000(rgb2lab(source), rgb2lab(result))
    found = maps.read_back(map_file(written, model, 2).read_bytes())
    assert np.abs(np.log1p(found) - np.log1p(expected)).max() < 0.0101 + 1e-3


def test_a_report_has_each_models_mean_map(written: Path) -> None:
    of_cases = [maps.read_back(map_file(written, "fading", case).read_bytes()).mean() for case in range(4)]
    found = maps.read_back((written / "page" / "maps" / "mean" / "1.png").read_bytes())
    assert found.shape == (maps.MEAN_SIDE, maps.MEAN_SIDE)
    assert found.mean() == pytest.approx(np.mean(of_cases), rel=0.02)


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Any, Picture, Picture]]:
    pytest.importorskip("fastapi", reason="pip install 'convergebench[view]'")
    from fastapi.testclient import TestClient

    from convergebench.report.page.server import HOST, make_app

    folder = tmp_path_factory.mktemp("large") / "results"
    source = Picture.from_pixels(textured(600, 400, seed=1))
    result = Picture.from_pixels(textured(300, 200, seed=2))
    with Workspace.create(folder) as workspace:
        for picture in (source, result):
            workspace.pictures.put(picture)
    data = LiveData(folder)
    yield TestClient(make_app(data), base_url=f"http://{HOST}"), source, result
    data.close()


def test_the_server_draws_a_map_in_the_sources_size(large: tuple[Any, Picture, Picture]) -> None:
    client, source, result = large
    answer = client.get(f"/page/maps/{maps.map_name(source.digest, result.digest)}")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "image/png")
    assert Image.open(io.BytesIO(answer.content)).size == source.size


@pytest.mark.parametrize(
    "place", ["{s}-{n}.png", "{n}-{s}.png", "..-{s}.png", "{s}.png", "mean/7.png", "mean/x.png"]
)
def test_there_is_no_map_of_what_is_not_a_picture(large: tuple[Any, Picture, Picture], place: str) -> None:
    client, source, _ = large
    found = client.get("/page/maps/aa/" + place.format(s=source.digest, n="0" * 64))
    assert found.status_code == 404


def test_the_map_of_a_changed_picture_is_bright_and_of_an_unchanged_one_black(
    visit: Visit, address: str
) -> None:
    whole = ".viewer-tools input[type=range]"
    page = open_film(visit, address, "delta", model="fading")
    page.locator(whole).fill("100")
    assert pixels(page.locator(PICTURE)).mean() > 60
    assert "CIEDE2000" in page.inner_text(".legend")
    page = open_film(visit, address, "delta", model="identity")
    page.locator(whole).fill("100")
    assert pixels(page.locator(PICTURE)).max() <= 2
    page.evaluate("document.activeElement.blur()")  # else the key is the slider's
    page.keyboard.press("Home")
    visit.until("document.querySelector('.stage:not([hidden]) .map').complete")
    assert pixels(page.locator(PICTURE)).max() <= 2


def test_an_edit_without_a_map_shows_the_difference_and_says_so(visit: Visit, written: Path) -> None:
    page = open_film(visit, (written / "index.html").as_uri(), "delta", more="&step=edit")
    page.wait_for_selector(".stage-note:not([hidden])")
    assert "this is the difference" in page.inner_text(".stage-note:not([hidden])")
    assert page.get_attribute(".stage:not([hidden])", "data-mode") == "difference"
    assert page.locator(".legend").count() == 0, "no key of a map that is not there"


def test_the_drift_view_shows_where_and_leads_to_the_map(visit: Visit, either: str) -> None:
    page = visit.open(either, "#/drift")
    visit.until("[...document.querySelectorAll('.where figure img')].some((i) => i.naturalWidth === 96)")
    page.locator("section[aria-label=fading] .where a").first.click()
    page.wait_for_selector(".panes")
    assert "mode=delta" in page.url and "model=fading" in page.url
