from __future__ import annotations

import json
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from convergebench.errors import BadPicture, WrongUse
from convergebench.picture import Picture
from convergebench.suites import load
from convergebench.types import Suite


def suite_of(folder: Path) -> Suite:
    return load(f"folder:{folder}")


def save(path: Path, mode: str = "RGB", size: tuple[int, int] = (40, 24)) -> None:
    Image.new(mode, size, color=90).save(path)


def png_that_says_it_is(width: int, height: int) -> bytes:
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunk = b"IHDR" + header
    return (
        b"\x89PNG\r\n\x1a\n" + struct.pack(">I", len(header)) + chunk + struct.pack(">I", zlib.crc32(chunk))
    )


def test_a_folder_keeps_its_name_and_version_when_it_is_moved(tmp_path: Path) -> None:
    first, second = (tmp_path / place / "photos" for place in ("me@home", "elsewhere"))
    first.mkdir(parents=True)
    save(first / "anna.png")
    suite = suite_of(first)
    second.parent.mkdir()
    first.rename(second)
    assert suite.name == "folder:photos"
    assert (suite_of(second).name, suite_of(second).version) == (suite.name, suite.version)


def test_every_picture_takes_what_a_scene_takes(tmp_path: Path) -> None:
    save(tmp_path / "garden.png")
    save(tmp_path / "street.JPG")
    (tmp_path / "notes.txt").write_text("not a picture, and not meant as one")
    suite = suite_of(tmp_path)
    assert {case.source.id for case in suite.cases} == {"garden", "street"}
    assert {case.category for case in suite.cases} == {"scene_objects", "geometric"}
    assert {case.kind for case in suite.cases} == {"picture"}
    assert len(suite.cases) == 22


def test_a_note_makes_a_picture_a_portrait(tmp_path: Path) -> None:
    save(tmp_path / "anna.png")
    save(tmp_path / "lawn.png")
    note = {"anna.png": {"kind": "portrait", "description": "A woman on a bench"}}
    (tmp_path / "pictures.json").write_text(json.dumps(note))
    cases = {case.id: case for case in suite_of(tmp_path).cases}
    assert cases["anna/hat_add_remove"].source.description == "A woman on a bench"
    assert cases["anna/hat_add_remove"].kind == "portrait"
    assert "anna/chair_add_remove" not in cases
    assert "lawn/chair_add_remove" in cases


def test_pictures_of_one_name_are_told_apart_by_their_suffix(tmp_path: Path) -> None:
    save(tmp_path / "a.png")
    save(tmp_path / "a.jpg")
    save(tmp_path / "b.png")
    assert {case.source.id for case in suite_of(tmp_path).cases} == {"a.png", "a.jpg", "b"}


def test_the_version_changes_with_the_pictures(tmp_path: Path) -> None:
    save(tmp_path / "a.png")
    before = suite_of(tmp_path).version
    assert suite_of(tmp_path).version == before
    save(tmp_path / "a.png", size=(50, 24))
    assert suite_of(tmp_path).version != before


def test_all_unreadable_files_are_named_at_once(tmp_path: Path) -> None:
    save(tmp_path / "good.png")
    Image.effect_noise((200, 200), 50).save(tmp_path / "truncated.png")
    whole = (tmp_path / "truncated.png").read_bytes()
    (tmp_path / "truncated.png").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "empty.jpg").write_bytes(b"")
    (tmp_path / "text.png").write_text("hello")
    (tmp_path / "vast.png").write_bytes(png_that_says_it_is(30_000, 30_000))
    with pytest.raises(BadPicture) as raised:
        suite_of(tmp_path)
    message = str(raised.value)
    assert "4 files of 5" in message
    for name in ("truncated.png", "empty.jpg", "text.png", "vast.png"):
        assert f"{name}: " in message
    assert "good.png" not in message


def test_uncommon_but_sound_pictures_are_fine(tmp_path: Path) -> None:
    save(tmp_path / "cmyk.jpg", mode="CMYK")
    save(tmp_path / "palette.png", mode="P")
    save(tmp_path / "grey.png", mode="L")
    Image.fromarray(np.full((24, 40), 40_000, np.uint16)).save(tmp_path / "deep.png")
    Image.new("RGBA", (40, 24), (200, 10, 10, 128)).save(tmp_path / "alpha.png")
    turned = Image.Exif()
    turned[0x0112] = 6
    Image.new("RGB", (40, 24)).save(tmp_path / "turned.jpg", exif=turned)
    sources = {case.source for case in suite_of(tmp_path).cases}
    sizes = {source.id: Picture.from_file(source.path).size for source in sources}
    assert sizes.pop("turned") == (24, 40)
    assert sizes == dict.fromkeys(["cmyk", "palette", "grey", "deep", "alpha"], (40, 24))


def test_a_folder_that_is_not_there_is_wrong_use(tmp_path: Path) -> None:
    with pytest.raises(WrongUse, match="is not a folder"):
        suite_of(tmp_path / "nowhere")


def test_a_folder_without_a_name_is_wrong_use() -> None:
    with pytest.raises(WrongUse, match="nothing is not a folder"):
        load("folder:")


def test_a_folder_without_pictures_is_wrong_use(tmp_path: Path) -> None:
    with pytest.raises(WrongUse, match="has no pictures"):
        suite_of(tmp_path)


@pytest.mark.parametrize(
    ("notes", "message"),
    [
        ("{", "not valid JSON"),
        ("[]", "must look like"),
        ('{"a.png": "portrait"}', "must look like"),
        ('{"a.png": {"kind": 3}}', "must look like"),
        ('{"a.png": {"kin": "portrait"}}', "must look like"),
        ('{"aa.png": {"kind": "portrait"}}', "did you mean a.png"),
    ],
)
def test_notes_that_cannot_be_meant_are_wrong_use(tmp_path: Path, notes: str, message: str) -> None:
    save(tmp_path / "a.png")
    (tmp_path / "pictures.json").write_text(notes)
    with pytest.raises(WrongUse, match=message):
        suite_of(tmp_path)


def test_notes_can_name_the_edits_of_a_picture(tmp_path: Path) -> None:
    save(tmp_path / "a.png")
    save(tmp_path / "b.png")
    (tmp_path / "pictures.json").write_text('{"a.png": {"edits": ["cat_add_remove", "day_night"]}}')
    suite = suite_of(tmp_path)
    assert [case.pair for case in suite.cases if case.source.id == "a"] == ["cat_add_remove", "day_night"]
    assert len([case for case in suite.cases if case.source.id == "b"]) == 11


def test_notes_can_be_a_table(tmp_path: Path) -> None:
    save(tmp_path / "anna.png")
    save(tmp_path / "lawn.png")
    rows = (
        "file,kind,description,edits",
        "anna.png,portrait,A woman,hat_add_remove scarf_add_remove",
        "lawn.png,,,",
    )
    (tmp_path / "pictures.csv").write_text("\n".join(rows))
    cases = suite_of(tmp_path).cases
    anna = [case for case in cases if case.source.id == "anna"]
    assert [case.pair for case in anna] == ["hat_add_remove", "scarf_add_remove"]
    assert {(case.kind, case.source.description) for case in anna} == {("portrait", "A woman")}
    assert {case.kind for case in cases if case.source.id == "lawn"} == {"picture"}


@pytest.mark.parametrize(
    ("name", "notes", "message"),
    [
        ("pictures.json", '{"a.png": {"edits": ["cat_ad_remove"]}}', "did you mean cat_add_remove"),
        ("pictures.json", '{"a.png": {"edits": [3]}}', "must look like"),
        ("pictures.csv", "name,kind\na.png,portrait\n", "must have the columns file"),
        ("pictures.csv", "file,kind\nb.png,portrait\n", "did you mean a.png"),
        ("pictures.csv", "file,description\na.png,A woman, on a bench\n", "line 2 has more fields"),
    ],
)
def test_edits_and_tables_that_cannot_be_meant_are_wrong_use(
    tmp_path: Path, name: str, notes: str, message: str
) -> None:
    save(tmp_path / "a.png")
    (tmp_path / name).write_text(notes)
    with pytest.raises(WrongUse, match=message):
        suite_of(tmp_path)


def test_two_files_of_notes_are_one_too_many(tmp_path: Path) -> None:
    save(tmp_path / "a.png")
    (tmp_path / "pictures.json").write_text("{}")
    (tmp_path / "pictures.csv").write_text("file\n")
    with pytest.raises(WrongUse, match="keep one of them"):
        suite_of(tmp_path)


def test_the_version_changes_with_the_edits(tmp_path: Path) -> None:
    save(tmp_path / "a.png")
    before = suite_of(tmp_path).version
    (tmp_path / "pictures.json").write_text('{"a.png": {"edits": ["cat_add_remove"]}}')
    assert suite_of(tmp_path).version != before
