"""Pictures of a dataset on the hub, or of its local copy, as a suite with our edits: `hub:owner/name`.

The first picture column of the tables is used. Columns named kind, description and edits are notes. A dataset
without tables is a folder of pictures.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from convergebench.errors import BadPicture, MissingExtra, WrongUse
from convergebench.suites._hub import local_copy
from convergebench.suites._picture_files import source_in_bytes
from convergebench.suites._picture_notes import FIELDS, Note, note_of
from convergebench.suites.folder import load_folder, suite_of
from convergebench.types import SourcePicture, Suite

HUB_PREFIX = "hub:"
_PATTERNS = ("*.parquet", "*.png", "*.jpg", "*.jpeg", "*.webp", "pictures.json", "pictures.csv")
_BATCH = 16


def load_hub_pictures(data: str) -> Suite:
    """Every distinct picture of the dataset, in row order; the dataset is downloaded once."""
    place = local_copy(data, _PATTERNS, f"write {HUB_PREFIX}owner/name, or the path of a local copy")
    tables = [place] if place.is_file() else sorted(place.rglob("*.parquet"))
    if not tables:
        return load_folder(str(place))
    found: dict[str, tuple[SourcePicture, Note]] = {}
    for table in tables:
        for source, note in _rows(table):
            found.setdefault(source.id, (source, note))
    if not found:
        raise WrongUse(f"{data} has tables but no rows with pictures; choose another dataset.")
    pictures, notes = zip(*found.values(), strict=True)
    return suite_of(f"{HUB_PREFIX}{data}", pictures, notes)


def _rows(table: Path) -> Iterator[tuple[SourcePicture, Note]]:
    parquet = _parquet().ParquetFile(table)
    column = _picture_column(parquet.schema_arrow, table)
    notes = [field for field in FIELDS if field in parquet.schema_arrow.names]
    misshapen = WrongUse(f"{table} must hold texts in the columns {', '.join(FIELDS)}; use another dataset.")
    number = 0
    for batch in parquet.iter_batches(_BATCH, columns=[column, *notes]):
        for row in batch.to_pylist():
            number += 1
            note = note_of({field: row[field] for field in notes}, misshapen)
            yield _source(row[column], note, f"{table}, row {number}"), note


def _picture_column(schema: Any, table: Path) -> str:
    """The first column with a picture's bytes, alone or with its path, as written by `datasets`."""
    types = importlib.import_module("pyarrow").types
    for field in schema:
        is_pair = types.is_struct(field.type) and field.type.get_field_index("bytes") >= 0
        if is_pair or types.is_binary(field.type) or types.is_large_binary(field.type):
            return str(field.name)
    raise WrongUse(f"{table} has no column of pictures; its columns are {', '.join(schema.names)}.")


def _source(value: Any, note: Note, where: str) -> SourcePicture:
    from convergebench.picture import Picture

    data = value.get("bytes") if isinstance(value, dict) else value
    if not isinstance(data, bytes):
        raise BadPicture(f"{where} has no picture; choose a dataset that holds its pictures.")
    try:
        Picture.from_bytes(data)
    except BadPicture as error:
        raise BadPicture(f"{where}: {error}") from error
    source = source_in_bytes(data)
    return SourcePicture(source.id, source.path, source.digest, note.kind, note.description)


def _parquet() -> Any:
    try:
        return importlib.import_module("pyarrow.parquet")
    except ImportError as error:
        raise MissingExtra("pyarrow", "gedit") from error
