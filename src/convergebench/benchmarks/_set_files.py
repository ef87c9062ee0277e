"""The files of a published set: in a folder, or inside zip and tar archives, as they were downloaded."""

from __future__ import annotations

import csv
import importlib
import io
import json
import tarfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from pathlib import Path, PurePosixPath
from typing import Any

from convergebench.errors import ConvergeBenchError, MissingExtra, WrongUse
from convergebench.packaged_files import MOST_BYTES
from convergebench.suites._lazy_pictures import LazyPicture
from convergebench.suites._picture_files import source_in_bytes
from convergebench.text_files import json_lines

_ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz")


class Unusable(Exception):
    """Why an entry of a set is no case."""


class SetFiles:
    """All files below a folder by their paths, those inside archives too; nothing is read before it is asked
    for. A single file stands for its folder."""

    def __init__(self, place: Path) -> None:
        self.root = place if place.is_dir() else place.parent
        self.only = "" if place.is_dir() or _is_archive(place) else place.name
        """The one file that was named, if it was no folder and no archive."""
        self._readers: dict[str, Callable[[], bytes] | Path] = {}
        for path in [place] if _is_archive(place) else sorted(self.root.rglob("*")):
            if path.is_file():
                self._add(path)
        self._by_name: dict[str, list[str]] = {}
        for name in self._readers:
            self._by_name.setdefault(PurePosixPath(name).name, []).append(name)

    def _add(self, path: Path) -> None:
        name = path.relative_to(self.root).as_posix()
        if not _is_archive(path):
            self._readers[name] = path
            return
        above = PurePosixPath(name).parent
        try:
            for member, read in _members(path):
                self._readers[(above / member).as_posix()] = read
        except (zipfile.BadZipFile, tarfile.TarError, OSError) as error:
            raise WrongUse(f"{path} is no archive that can be read ({error}); download it again") from error

    def ending(self, path: str) -> list[str]:
        """The files whose path ends in this one, the shortest first."""
        found = self._by_name.get(PurePosixPath(path).name, [])
        return sorted(
            (one for one in found if f"/{one}".endswith(f"/{path}")), key=lambda one: (len(one), one)
        )

    def matching(self, pattern: str) -> list[str]:
        """The files whose path fits a pattern such as `*/annotation.json`, in order."""
        return sorted(name for name in self._readers if PurePosixPath(name).match(pattern))

    def read(self, name: str) -> bytes:
        reader = self._readers[name]
        return reader.read_bytes() if isinstance(reader, Path) else reader()

    def path(self, name: str) -> Path:
        """A file of its own; one inside an archive is written to the cache."""
        reader = self._readers[name]
        return reader if isinstance(reader, Path) else source_in_bytes(reader()).path

    def picture(self, id: str, *names: str, near: str = "") -> LazyPicture:
        """The first of these names that there is, by the end of its path: rather one beside `near`, if
        several have it."""
        for name in names:
            plain = name.replace("\\", "/").lstrip("./")
            found = self.ending(plain) if plain else []
            beside = (PurePosixPath(near).parent / plain).as_posix()
            if found:
                return LazyPicture(id, partial(self.path, beside if beside in found else found[0]))
        raise Unusable(f"there is no picture {' or '.join(dict.fromkeys(names))}")


def _is_archive(path: Path) -> bool:
    return path.name.lower().endswith(_ARCHIVES)


def _members(path: Path) -> Iterator[tuple[str, Callable[[], bytes]]]:
    if path.name.lower().endswith(".zip"):
        with zipfile.ZipFile(path) as opened:
            names = [one.filename for one in opened.infolist() if not one.is_dir()]
        yield from ((name, partial(_from_zip, path, name)) for name in names)
        return
    with tarfile.open(path) as packed:
        names = [one.name for one in packed if one.isfile()]
    yield from ((name.lstrip("./"), partial(_from_tar, path, name)) for name in names)


@lru_cache(4)
def _zip(path: Path) -> zipfile.ZipFile:
    return zipfile.ZipFile(path)


def _from_zip(path: Path, name: str) -> bytes:
    _check_size(_zip(path).getinfo(name).file_size, path, name)
    return _zip(path).read(name)


def _from_tar(path: Path, name: str) -> bytes:
    with tarfile.open(path) as packed:
        _check_size(packed.getmember(name).size, path, name)
        member = packed.extractfile(name)
        if member is None:
            raise ConvergeBenchError(f"{name} cannot be read from {path}; download it again")
        return member.read()


def _check_size(size: int, path: Path, name: str) -> None:
    if size > MOST_BYTES:
        raise WrongUse(f"{name} in {path} unpacks to {size / 1e9:.1f} GB, which no file of a set has")


def text_of(files: SetFiles, name: str) -> str:
    try:
        return files.read(name).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise WrongUse(f"{files.root / name} is not UTF-8 text; download it again") from error


def csv_rows(files: SetFiles, name: str, columns: Sequence[str]) -> Iterator[dict[str, str]]:
    """The rows of a CSV file that has at least these columns."""
    csv.field_size_limit(1 << 24)
    reader = csv.DictReader(io.StringIO(text_of(files, name)))
    lacking = [column for column in columns if column not in (reader.fieldnames or ())]
    if lacking:
        raise WrongUse(f"{files.root / name} has no column {lacking[0]}; it needs {', '.join(columns)}")
    yield from reader


def json_entries(files: SetFiles, name: str) -> list[tuple[str, Any]]:
    """Each entry with its key: of an object of objects, of a list, or of JSON Lines, whatever the suffix.
    Where entries have no key, it is empty."""
    text = text_of(files, name)
    try:
        whole = json.loads(text)
    except ValueError:
        return [("", _json_line(line, files, name, number)) for number, line in json_lines(text)]
    if isinstance(whole, dict) and all(isinstance(entry, dict) for entry in whole.values()):
        return [(str(key), entry) for key, entry in whole.items()]
    return [("", entry) for entry in (whole if isinstance(whole, list) else [whole])]


def _json_line(line: str, files: SetFiles, name: str, number: int) -> Any:
    try:
        return json.loads(line)
    except ValueError as error:
        where = f"{files.root / name}, line {number}"
        raise WrongUse(f"{where} is not JSON ({error}); give the set's own file") from error


def table_rows(files: SetFiles, name: str, columns: Sequence[str]) -> list[dict[str, Any]]:
    """The rows of a parquet file, without any column that is not named; those that it lacks are left out."""
    table = _parquet().ParquetFile(files.path(name))
    there = [column for column in columns if column in table.schema_arrow.names]
    rows: list[dict[str, Any]] = table.read(columns=there).to_pylist()
    return rows


def table_columns(files: SetFiles, name: str) -> list[str]:
    return list(_parquet().ParquetFile(files.path(name)).schema_arrow.names)


def table_picture(files: SetFiles, name: str, column: str, row: int, id: str) -> LazyPicture:
    """The picture in a cell, read and written to the cache when it is needed."""
    return LazyPicture(id, lambda: source_in_bytes(_cell(files.path(name), column, row)).path)


def _cell(path: Path, column: str, row: int) -> bytes:
    table = _parquet().ParquetFile(path)
    for group in range(table.num_row_groups):
        count = table.metadata.row_group(group).num_rows
        if row < count:
            value = _group_column(path, column, group)[row]
            data = value.get("bytes") if isinstance(value, dict) else value
            if isinstance(data, bytes):
                return data
            break
        row -= count
    raise ConvergeBenchError(f"{path} holds no picture in {column}; download it again")


@lru_cache(2)
def _group_column(path: Path, column: str, group: int) -> list[Any]:
    values: list[Any] = _parquet().ParquetFile(path).read_row_group(group, [column]).column(0).to_pylist()
    return values


def _parquet() -> Any:
    try:
        return importlib.import_module("pyarrow.parquet")
    except ImportError as error:
        raise MissingExtra("pyarrow", "gedit") from error
