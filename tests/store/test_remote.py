"""The picture store behind a URL: a real S3 server on loopback, and fsspec's file system in memory."""

from __future__ import annotations

import io
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from PIL import Image

from convergebench.errors import DiskFull, WorkspaceError, WrongUse
from convergebench.picture import Picture
from convergebench.store import PictureFolder, Workspace
from convergebench.store.remote import RemotePictures, Unreachable
from made_pictures import textured
from servers.s3 import BUCKET, S3Server, s3_server

fsspec = pytest.importorskip("fsspec")
MemoryFileSystem = fsspec.get_filesystem_class("memory")


@pytest.fixture(scope="module")
def s3() -> Iterator[S3Server]:
    with s3_server() as server:
        yield server


@pytest.fixture(params=["s3", "memory"])
def url(request: pytest.FixtureRequest) -> str:
    if request.param == "memory":
        return f"memory://{request.node.name}"
    server: S3Server = request.getfixturevalue("s3")
    return f"{server.url}/{request.node.name}"


def picture(seed: int = 0) -> Picture:
    return Picture.from_pixels(textured(seed=seed))


def names_at(url: str) -> list[str]:
    files, root = fsspec.core.url_to_fs(url, use_listings_cache=False)
    return sorted(name.removeprefix(root.rstrip("/")).lstrip("/") for name in files.find(root))


def test_a_picture_comes_back_byte_for_byte_to_whoever_opens_the_url(url: str) -> None:
    kept = picture()
    RemotePictures(url).put(kept)
    another = RemotePictures(url)
    assert another.holds(kept.facts)
    assert another.open(kept.facts).encoded == kept.encoded
    assert RemotePictures(url).load(kept.digest).facts == kept.facts


def test_pictures_lie_under_their_digest_as_in_a_folder(url: str) -> None:
    file = io.BytesIO()
    Image.fromarray(textured()).save(file, "JPEG")
    kept = [picture(), Picture.from_bytes(file.getvalue())]
    store = RemotePictures(url)
    store.prepare()
    for one in kept * 2:
        store.put(one)
    wanted = [f"{one.digest[:2]}/{one.digest}{end}" for one, end in zip(kept, (".png", ".jpg"), strict=True)]
    assert names_at(url) == sorted([*wanted, "convergebench.txt"])


def test_a_changed_picture_is_found_out_when_read(url: str) -> None:
    kept = picture()
    store = RemotePictures(url)
    store.put(kept)
    files, root = fsspec.core.url_to_fs(url)
    files.pipe_file(f"{root}/{kept.digest[:2]}/{kept.digest}.png", kept.encoded[:-1] + b"x")
    with pytest.raises(WorkspaceError, match="damaged"):
        _ = RemotePictures(url).open(kept.facts).pixels


def test_a_picture_that_is_not_there_is_said_to_be_so(url: str) -> None:
    store = RemotePictures(url)
    assert not store.holds(picture().facts)
    with pytest.raises(WorkspaceError, match=r"is not in .*://"):
        store.load(picture().digest)
    with pytest.raises(WorkspaceError, match=r"is not in .*://"):
        _ = store.open(picture().facts).pixels


def test_a_bucket_that_is_not_there_is_said_so_before_anything_is_edited(
    s3: S3Server, tmp_path: Path
) -> None:
    with pytest.raises(WorkspaceError, match="s3://elsewhere/x does not exist; create the bucket"):
        Workspace.create(tmp_path / "results", "s3://elsewhere/x")


def test_a_store_that_is_away_for_a_while_is_waited_for(
    s3: S3Server, caplog: pytest.LogCaptureFixture
) -> None:
    kept, read = picture(10), picture(11)
    store = RemotePictures(f"{s3.url}/away")
    store.put(read)
    s3.stop()
    with ThreadPoolExecutor(1) as pool:
        put = pool.submit(store.put, kept)
        while "cannot be reached" not in caplog.text:
            assert not put.done()
            time.sleep(0.01)
        s3.come_back()
        put.result(60)
    assert RemotePictures(f"{s3.url}/away").open(kept.facts).encoded == kept.encoded


def test_what_could_not_be_stored_waits_in_the_workspace_and_is_stored_by_the_next_run(
    s3: S3Server, tmp_path: Path
) -> None:
    kept, url = picture(20), f"{s3.url}/long"
    store = RemotePictures(url, PictureFolder(tmp_path), patience_seconds=0.5)
    store.prepare()
    s3.stop()
    store.put(kept)
    assert store.holds(kept.facts)
    assert store.open(kept.facts).encoded == kept.encoded
    with pytest.raises(Unreachable, match="all finished work is saved"):
        store.ensure_room()
    s3.come_back()
    again = RemotePictures(url, PictureFolder(tmp_path))
    again.prepare()
    again.ensure_room()
    assert list(tmp_path.glob("??/*")) == []
    assert RemotePictures(url).open(kept.facts).encoded == kept.encoded


class Refusing(MemoryFileSystem):  # type: ignore[misc]
    """Files in memory, until there is a reason to take no more."""

    protocol = "refusing"
    reason: Exception | None = None

    def pipe_file(self, *given: object, **options: object) -> None:
        if self.reason is not None:
            raise self.reason
        super().pipe_file(*given, **options)


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        (PermissionError("The provided token has expired."), "check the environment's credentials"),
        (OSError(28, "No space left on device"), "Free some space"),
        (FileNotFoundError("The specified bucket does not exist"), "create the bucket"),
    ],
)
def test_what_a_store_no_longer_takes_waits_too_and_no_further_edit_begins(
    reason: Exception, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fsspec.register_implementation("refusing", Refusing, clobber=True)
    kept = picture(30)
    with Workspace.create(tmp_path, "refusing://pictures") as workspace:
        workspace.pictures.ensure_room()
        monkeypatch.setattr(Refusing, "reason", reason)
        workspace.pictures.put(kept)
        with pytest.raises(WorkspaceError, match=said):
            workspace.pictures.ensure_room()
    with Workspace.existing(tmp_path) as workspace:
        assert workspace.pictures.open(kept.facts).encoded == kept.encoded
    monkeypatch.setattr(Refusing, "reason", None)
    with Workspace.create(tmp_path) as workspace:
        workspace.pictures.ensure_room()
    assert list((tmp_path / "pictures.waiting").glob("??/*")) == []
    assert RemotePictures("refusing://pictures").open(kept.facts).encoded == kept.encoded


def test_wrong_credentials_are_not_tried_again(s3: S3Server, monkeypatch: pytest.MonkeyPatch) -> None:
    store = RemotePictures(f"{s3.url}/closed")

    def forbidden(*_: object, **__: object) -> None:
        raise PermissionError("Access Denied")

    monkeypatch.setattr(store._files, "pipe_file", forbidden)
    with pytest.raises(WorkspaceError, match=r"no access to .* \(Access Denied\)"):
        store.put(picture())


def test_a_full_store_gives_the_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    store = RemotePictures("memory://full")

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(store._files, "pipe_file", full)
    with pytest.raises(DiskFull, match="Free some space"):
        store.put(picture())


def test_a_workspace_remembers_where_its_pictures_are(s3: S3Server, tmp_path: Path) -> None:
    url, kept = f"{s3.url}/workspace", picture()
    with Workspace.create(tmp_path / "results", url) as workspace:
        workspace.pictures.put(kept)
    with Workspace.existing(tmp_path / "results") as workspace:
        assert workspace.pictures.place == url
        assert workspace.pictures.load(kept.digest).encoded == kept.encoded
    with Workspace.create(tmp_path / "results", url + "/") as workspace:
        assert workspace.pictures.place == url
    assert f"{kept.digest[:2]}/{kept.digest}.png" in names_at(url)
    assert BUCKET in url


def test_a_workspace_with_pictures_does_not_move(tmp_path: Path) -> None:
    with Workspace.create(tmp_path / "results") as workspace:
        workspace.pictures.put(picture())
    with pytest.raises(WrongUse, match="leave --pictures out"):
        Workspace.create(tmp_path / "results", "s3://another/place")


def test_pictures_can_be_kept_in_another_folder(tmp_path: Path) -> None:
    with Workspace.create(tmp_path / "results", str(tmp_path / "shared")) as workspace:
        workspace.pictures.put(picture())
    with Workspace.existing(tmp_path / "results") as workspace:
        assert workspace.pictures.load(picture().digest).encoded == picture().encoded
    assert len(list((tmp_path / "shared").glob("??/*.png"))) == 1


def test_a_url_with_a_password_is_not_written_down(tmp_path: Path) -> None:
    with pytest.raises(WrongUse, match="not contain a password"):
        Workspace.create(tmp_path / "results", "ftp://me:secret@host/folder")
    assert not any(b"secret" in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


def test_a_url_of_an_unknown_kind_says_what_one_looks_like(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceError, match="try s3://"):
        Workspace.create(tmp_path / "results", "carrier-pigeon://roof")
