"""GEdit-Bench's rows, as the files that hold them give them: parquet, arrow, or JSON lines with pictures."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from convergebench.data_paths import path_inside
from convergebench.errors import BadPicture, MissingExtra, WrongUse
from convergebench.suites._picture_files import source_in_bytes, source_in_file
from convergebench.text_files import json_lines
from convergebench.types import SourcePicture

PICTURE = "input_image"
_TEXTS = ("key", "task_type", "instruction", "instruction_language")
_INTERSECTION = "Intersection_exist"
_BATCH = 16


@dataclass(frozen=True)
class GeditRow:
    """One row, without its picture, and where it stands."""

    key: str
    subset: str
    instruction: str
    language: str
    is_in_intersection: bool
    file: Path
    number: int


def read_rows(data: Path) -> list[GeditRow]:
    """All rows of a file or of the files in a folder and below it."""
    files = _files(data)
    return [row for file in files for row in _reader(file).rows(file)]


def pictures_of(rows: Sequence[GeditRow]) -> dict[tuple[Path, int], SourcePicture]:
    """The rows' pictures by file and number; those inside a table are written to the cache once."""
    wanted: dict[Path, set[int]] = {}
    for row in rows:
        wanted.setdefault(row.file, set()).add(row.number)
    return {
        (file, number): source
        for file, numbers in wanted.items()
        for number, source in _reader(file).pictures(file, numbers)
    }


@dataclass(frozen=True)
class _Reader:
    rows: Callable[[Path], Iterable[GeditRow]]
    pictures: Callable[[Path, set[int]], Iterable[tuple[int, SourcePicture]]]


def _files(data: Path) -> list[Path]:
    if data.is_file() and data.suffix in _READERS:
        return [data]
    for suffix in _READERS:
        # `datasets` leaves files of its own, cache-….arrow, beside those that hold the data.
        found = sorted(file for file in data.rglob(f"*{suffix}") if not file.name.startswith("cache-"))
        if found:
            return found
    raise WrongUse(
        f"{data} holds no GEdit-Bench data; give its .parquet, .arrow or .jsonl files or their folder"
    )


def _reader(file: Path) -> _Reader:
    return _READERS[file.suffix]


def _row(fields: Mapping[str, Any], file: Path, number: int) -> GeditRow:
    lacking = [name for name in _TEXTS if not str(fields.get(name) or "").strip()]
    if lacking:
        raise WrongUse(f"{file}, row {number + 1} has no {lacking[0]}; GEdit-Bench has {', '.join(_TEXTS)}")
    key, subset, instruction, language = (str(fields[name]) for name in _TEXTS)
    return GeditRow(key, subset, instruction, language, bool(fields.get(_INTERSECTION)), file, number)


# JSON lines, each with the path of its picture


def _listed(file: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in json_lines(file.read_text(encoding="utf-8")):
        try:
            fields = json.loads(line)
            fields.setdefault("key", fields.get("id"))
        except (ValueError, AttributeError) as error:
            raise WrongUse(f"{file}, line {number} is not a JSON object; correct it") from error
        yield number - 1, fields


def _listed_rows(file: Path) -> Iterator[GeditRow]:
    for number, fields in _listed(file):
        yield _row(fields, file, number)


def _listed_pictures(file: Path, wanted: set[int]) -> Iterator[tuple[int, SourcePicture]]:
    chosen = [(number, fields.get(PICTURE)) for number, fields in _listed(file) if number in wanted]
    with ThreadPoolExecutor() as threads:  # reading and hashing release the GIL
        yield from threads.map(lambda one: (one[0], _picture(one[1], file, one[0])), chosen)


# Tables


def _batches(file: Path, columns: Sequence[str]) -> Iterator[Any]:
    """Some rows at a time, of those columns that there are."""
    if file.suffix == ".parquet":
        table = _arrow("pyarrow.parquet").ParquetFile(file)
        there = [name for name in columns if name in table.schema_arrow.names]
        yield from table.iter_batches(_BATCH, columns=there)
        return
    arrow, ipc = _arrow("pyarrow"), _arrow("pyarrow.ipc")
    with arrow.memory_map(str(file)) as source:
        try:
            reader = ipc.open_stream(source)
        except arrow.ArrowInvalid:
            opened = ipc.open_file(source)
            reader = (opened.get_batch(place) for place in range(opened.num_record_batches))
        for batch in reader:
            yield batch.select([name for name in columns if name in batch.schema.names])


def _table_rows(file: Path) -> Iterator[GeditRow]:
    start = 0
    for batch in _batches(file, (*_TEXTS, _INTERSECTION)):
        for place, fields in enumerate(batch.to_pylist()):
            yield _row(fields, file, start + place)
        start += batch.num_rows


def _table_pictures(file: Path, wanted: set[int]) -> Iterator[tuple[int, SourcePicture]]:
    start = 0
    for batch in _batches(file, (PICTURE,)):
        for number in sorted(wanted & set(range(start, start + batch.num_rows))):
            column = batch.column(0) if batch.num_columns else None
            yield number, _picture(column[number - start].as_py() if column else None, file, number)
        start += batch.num_rows


def _picture(value: Any, file: Path, number: int) -> SourcePicture:
    """A picture's bytes, or its path beside the file; `datasets` has both in one field."""
    data, path = (value.get("bytes"), value.get("path")) if isinstance(value, dict) else (value, value)
    if isinstance(data, bytes):
        return source_in_bytes(data)
    place = path_inside(file.parent, path) if isinstance(path, str) and path else None
    if place is None or not place.is_file():
        raise BadPicture(f"{file}, row {number + 1} has no picture{f' at {place}' if place else ''}; add it")
    return source_in_file(place)


def _arrow(module: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtra("pyarrow", "gedit") from error


_READERS = {
    ".parquet": _Reader(_table_rows, _table_pictures),
    ".arrow": _Reader(_table_rows, _table_pictures),
    ".jsonl": _Reader(_listed_rows, _listed_pictures),
}
"""In the order in which a folder is searched."""
