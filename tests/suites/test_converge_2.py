"""Version 2: the cases of version 1, at the size that models work at."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from convergebench.picture import Picture
from convergebench.suites import listing, load
from convergebench.suites.catalogue import CataloguedPicture, RenderedFile, megapixel_pictures, pictures
from convergebench.suites.converge_small_2 import SUITE as SMALL

FIRST = {picture.id: picture for picture in pictures()}
SECOND = {picture.id: picture for picture in megapixel_pictures()}
RENDERED = [picture for picture in SECOND.values() if picture.origin == "rendered"]
PACKAGE = Path(__file__).parents[2] / "src" / "convergebench"


def rendered_file(picture: CataloguedPicture) -> RenderedFile:
    assert isinstance(picture.file, RenderedFile)
    return picture.file


def test_it_has_the_pictures_and_edits_of_version_1_but_for_one_that_is_replaced() -> None:
    assert set(FIRST) - set(SECOND) == {"portrait_forearm"}
    assert set(SECOND) - set(FIRST) == {"portrait_old_woman_at_table"}
    for id in set(FIRST) & set(SECOND):
        assert SECOND[id].edits == FIRST[id].edits, id
    replaced = SECOND["portrait_old_woman_at_table"].edits
    assert set(FIRST["portrait_forearm"].edits) <= set(replaced)


def test_version_1_stays_the_default() -> None:
    current = {(info.name, info.version) for info in listing() if info.is_current}
    assert {("converge", "1"), ("converge-small", "1")} <= current


def test_no_picture_is_smaller_than_before_and_rendered_ones_have_a_megapixel() -> None:
    for id in set(FIRST) & set(SECOND):
        assert all(new >= old for new, old in zip(SECOND[id].size, FIRST[id].size, strict=True)), id
    for picture in RENDERED:
        assert picture.size[0] * picture.size[1] == pytest.approx(1024 * 1024, rel=0.02), picture.id
        assert not picture.is_small
    assert all(side % 16 == 0 for picture in SECOND.values() for side in picture.size)


def test_crops_are_never_enlarged_and_keep_their_proportions() -> None:
    for picture in SECOND.values():
        if picture.crop is not None:
            left, top, right, bottom = picture.crop
            assert picture.size[0] <= right - left and picture.size[1] <= bottom - top, picture.id
            shape = (right - left) / (bottom - top)
            assert shape == pytest.approx(picture.size[0] / picture.size[1], rel=0.006), picture.id


def test_its_files_are_the_known_ones_and_the_package_stays_below_40_megabytes() -> None:
    for picture in RENDERED:
        data = rendered_file(picture).path.read_bytes()
        assert hashlib.sha256(data).hexdigest() == picture.file.sha256, picture.id
        with Image.open(io.BytesIO(data)) as image:
            assert image.size == picture.size, picture.id
    folder = PACKAGE / "suites" / "rendered_2"
    named = {rendered_file(picture).path for picture in RENDERED}
    assert set(folder.glob("*.webp")) <= named
    shipped = [path for path in PACKAGE.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    assert sum(path.stat().st_size for path in shipped) < 40_000_000


def test_every_rendered_picture_that_needs_it_is_attributed() -> None:
    for picture in RENDERED:
        file = rendered_file(picture)
        attribution = (file.path.parent / "ATTRIBUTION.md").read_text(encoding="utf-8")
        assert ("CC BY" in picture.terms) <= (f"| {file.scene} |" in attribution), picture.id


@pytest.mark.parametrize("id", ["scene_living_room_evening", "scene_bedroom_lamp", "object_candles_at_night"])
def test_the_darkest_pictures_have_more_light(id: str) -> None:
    """Mean levels; below about 64, most of a picture is in the darkest quarter of the scale."""

    def brightness(picture: CataloguedPicture) -> float:
        return float(np.mean(Picture.from_file(rendered_file(picture).path).pixels))

    assert brightness(SECOND[id]) > 1.5 * brightness(FIRST[id])
    assert brightness(SECOND[id]) > 64


def test_the_small_suite_has_four_portraits_of_twelve_pictures() -> None:
    assert SMALL.pictures == 12
    assert {file.requirement.partition("==")[0] for file in SMALL.files} == {"scikit-image"}


def test_rendered_pictures_of_a_megapixel_in_version_1_are_shared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONVERGEBENCH_CACHE", str(tmp_path))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    second = load("converge@2?origin=rendered").cases
    assert {case.source.id for case in second} == {picture.id for picture in RENDERED}
    assert sum(case.kind == "portrait" for case in second) == sum(
        len(picture.edits) for picture in RENDERED if picture.kind == "portrait"
    )
    study = {case.fingerprint for case in second if case.source.id == "scene_study"}
    first = {case.fingerprint for case in load("converge@1?origin=rendered").cases}
    assert study <= first
