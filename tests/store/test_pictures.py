from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from convergebench import kernels
from convergebench.errors import WorkspaceError
from convergebench.picture import Picture
from convergebench.store import PictureFolder
from made_pictures import textured


@pytest.fixture(params=["in C", "in Python"])
def store(tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> PictureFolder:
    if request.param == "in Python":
        monkeypatch.setattr(kernels, "library", lambda: None)
    elif not kernels.can_write_files():
        pytest.skip("there was no compiler when this was installed")
    made = PictureFolder(tmp_path)
    made.prepare()
    return made


def test_a_picture_comes_back_byte_for_byte(store: PictureFolder) -> None:
    picture = Picture.from_pixels(textured())
    store.put(picture)
    assert store.open(picture.facts).encoded == picture.encoded
    assert store.load(picture.digest).facts == picture.facts


def test_the_bytes_of_a_stored_picture_are_read_again_where_they_are_needed(store: PictureFolder) -> None:
    picture = Picture.from_pixels(textured())
    encoded = picture.encoded
    store.put(picture)
    assert not picture.is_read and picture.is_decoded
    assert picture.encoded == encoded
    store.put(picture)
    assert store.load(picture.digest).encoded == encoded


def test_the_bytes_that_an_editor_gave_stay_in_memory_for_the_next_edit(store: PictureFolder) -> None:
    picture = Picture.from_bytes(Picture.from_pixels(textured()).encoded)
    store.put(picture)
    assert picture.is_read


def test_the_same_picture_is_kept_once(store: PictureFolder, tmp_path: Path) -> None:
    for _ in range(2):
        store.put(Picture.from_pixels(textured()))
    assert len(list(tmp_path.rglob("*.png"))) == 1


def test_what_cannot_be_written_leaves_nothing_behind(store: PictureFolder, tmp_path: Path) -> None:
    picture = Picture.from_pixels(textured())
    store.path(picture.facts).parent.write_text("a file where a folder belongs")
    with pytest.raises(WorkspaceError, match="cannot write to"):
        store.put(picture)
    assert list((tmp_path / "incoming").iterdir()) == []


def test_of_many_pictures_one_that_cannot_be_written_affects_no_other(
    store: PictureFolder, tmp_path: Path
) -> None:
    pictures = [Picture.from_pixels(textured(seed=seed)) for seed in range(40)]
    broken = tmp_path / pictures[7].digest[:2]
    broken.write_text("a file where a folder belongs")
    errors = store.put_all([*pictures, pictures[0]])
    blocked = [picture.digest[:2] == broken.name for picture in [*pictures, pictures[0]]]
    assert [isinstance(error, WorkspaceError) for error in errors] == blocked
    stored = [picture for picture in pictures if picture.digest[:2] != broken.name]
    assert all(store.open(picture.facts).encoded == picture.encoded for picture in stored)
    assert list((tmp_path / "incoming").iterdir()) == []


def test_long_pictures_are_stored_together_and_one_that_cannot_be_affects_no_other(
    store: PictureFolder, tmp_path: Path
) -> None:
    random = np.random.default_rng(3)
    pictures = Picture.all_from_pixels([random.integers(0, 256, (400, 500, 3), np.uint8) for _ in range(6)])
    encoded = [picture.encoded for picture in pictures]
    blocked = [picture.digest[:2] == pictures[2].digest[:2] for picture in pictures]
    (tmp_path / pictures[2].digest[:2]).write_text("a file where a folder belongs")
    errors = store.put_all(pictures)
    assert [isinstance(error, WorkspaceError) for error in errors] == blocked
    for picture, content, is_blocked in zip(pictures, encoded, blocked, strict=True):
        assert is_blocked or store.open(picture.facts).encoded == content
    assert list((tmp_path / "incoming").iterdir()) == []


def test_a_changed_file_is_found_out_when_read(store: PictureFolder) -> None:
    picture = Picture.from_pixels(textured())
    store.put(picture)
    data = bytearray(picture.encoded)
    data[-20] ^= 1
    store.path(picture.facts).write_bytes(data)
    with pytest.raises(WorkspaceError, match="damaged"):
        _ = store.open(picture.facts).pixels


def test_what_a_dead_process_left_half_written_is_dropped_and_a_living_ones_is_not(tmp_path: Path) -> None:
    store = PictureFolder(tmp_path)
    store.prepare()
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    dead, alive = tmp_path / "incoming" / f"{child}-0", tmp_path / "incoming" / f"{os.getpid()}-7"
    dead.write_bytes(b"half")
    alive.write_bytes(b"half")
    store.prepare()
    assert not dead.exists()
    assert alive.exists()


@pytest.mark.parametrize("name", [".DS_Store", ".nfs0000000001", "-", "notes.txt"])
def test_a_file_that_is_not_ours_is_left_where_it_is(tmp_path: Path, name: str) -> None:
    store = PictureFolder(tmp_path)
    store.prepare()
    stray = tmp_path / "incoming" / name
    stray.touch()
    store.prepare()
    assert stray.exists()


def test_a_jpeg_is_kept_as_it_was_given(store: PictureFolder) -> None:
    import io

    from PIL import Image

    file = io.BytesIO()
    Image.fromarray(textured()).save(file, "JPEG")
    picture = Picture.from_bytes(file.getvalue())
    store.put(picture)
    assert store.path(picture.facts).suffix == ".jpg"
    assert store.path(picture.facts).read_bytes() == file.getvalue()
