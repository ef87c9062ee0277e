"""The file of a submission: a ZIP whose bytes depend on its content only, and its reading without trust."""

from __future__ import annotations

import hashlib
import re
import stat
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

from convergebench.leaderboard.submitted_rows import TABLES, BadSubmission
from convergebench.picture import SUFFIXES
from convergebench.types import Digest

MANIFEST = "manifest.json"
ROWS, PICTURES, THUMBNAILS = "rows", "pictures", "thumbnails"

LARGEST_FILE = 8 * 1024**3
_MOST_MEMBERS = 200_000
_LARGEST_RATIO = 200
_SMALL = 16 * 1024**2
_MIB = 1024**2
_ENCRYPTED = 0x1
_BEGINNING = (1980, 1, 1, 0, 0, 0)
_SUFFIX = "|".join(re.escape(suffix) for suffix in SUFFIXES.values())
_LARGEST_MEMBERS = {
    re.compile(re.escape(MANIFEST)): 64 * _MIB,
    re.compile(rf"{ROWS}/(?:{'|'.join(TABLES)})\.jsonl"): 1024 * _MIB,
    re.compile(rf"{PICTURES}/[0-9a-f]{{64}}(?:{_SUFFIX})"): 512 * _MIB,
    re.compile(rf"{THUMBNAILS}/[0-9a-f]{{64}}\.jpg"): _MIB,
}
"""The names that a submission may have, and how many bytes each may unpack to."""


class SubmissionWriter:
    """Writes members in the order given, without dates and without anything of the file system."""

    def __init__(self, path: Path) -> None:
        self._zip = zipfile.ZipFile(path, "w")

    def add(self, name: str, data: bytes) -> Digest:
        """Returns the digest of the member."""
        member = zipfile.ZipInfo(name, _BEGINNING)
        member.create_system, member.external_attr = 3, (stat.S_IFREG | 0o644) << 16
        is_picture = name.startswith((PICTURES, THUMBNAILS))
        member.compress_type = zipfile.ZIP_STORED if is_picture else zipfile.ZIP_DEFLATED
        self._zip.writestr(member, data)
        return hashlib.sha256(data).hexdigest()

    def __enter__(self) -> SubmissionWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._zip.close()


class SubmissionFile:
    """A submission from outside: names, kinds and sizes are checked before a byte is unpacked.

    Nothing is written under a name of the archive. Everything that is wrong is a BadSubmission.
    """

    def __init__(self, path: Path) -> None:
        if path.is_symlink() or not path.is_file():
            raise BadSubmission("it is not a plain file")
        size = path.stat().st_size
        if size > LARGEST_FILE:
            raise BadSubmission(f"it is larger than {LARGEST_FILE // 1024**3} GiB")
        try:
            self._zip = zipfile.ZipFile(path)
            self._members = _checked_members(self._zip, size)
        except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
            raise BadSubmission(f"it cannot be read as a ZIP file ({error})") from error

    @property
    def names(self) -> frozenset[str]:
        return frozenset(self._members)

    def read(self, name: str) -> bytes:
        member = self._members.get(name)
        if member is None:
            raise BadSubmission(f"{name} is missing in it")
        try:
            with self._zip.open(member) as file:
                data = file.read(member.file_size + 1)
        except (zipfile.BadZipFile, zlib.error, OSError, EOFError, NotImplementedError) as error:
            raise BadSubmission(f"{name} cannot be unpacked ({error})") from error
        if len(data) != member.file_size:
            raise BadSubmission(f"{name} has another size than it says")
        return data

    def close(self) -> None:
        self._zip.close()

    def __enter__(self) -> SubmissionFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _checked_members(archive: zipfile.ZipFile, size: int) -> Mapping[str, zipfile.ZipInfo]:
    every = archive.infolist()
    if len(every) > _MOST_MEMBERS:
        raise BadSubmission(f"it has more than {_MOST_MEMBERS:,} members")
    members: dict[str, zipfile.ZipInfo] = {}
    for member in every:
        name = member.filename
        largest = next((most for form, most in _LARGEST_MEMBERS.items() if form.fullmatch(name)), None)
        if largest is None:
            raise BadSubmission(f"a submission has no member {name[:100]!r}")
        if name in members:
            raise BadSubmission(f"{name} is in it twice")
        kind = stat.S_IFMT(member.external_attr >> 16)
        if kind not in (0, stat.S_IFREG) or member.flag_bits & _ENCRYPTED:
            raise BadSubmission(f"{name} is a link, a device or encrypted")
        if member.file_size > largest:
            raise BadSubmission(f"{name} would unpack to {member.file_size / _MIB:,.0f} MiB")
        members[name] = member
    total = sum(member.file_size for member in every)
    if total > max(_SMALL, _LARGEST_RATIO * size) or total > 2 * LARGEST_FILE:
        raise BadSubmission(f"its {size:,} bytes would unpack to {total / _MIB:,.0f} MiB")
    return members
