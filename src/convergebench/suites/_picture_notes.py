"""Users' notes on their pictures: kind, description, and edits."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from convergebench.errors import WrongUse, unknown_name
from convergebench.suites._own_pictures import one_form
from convergebench.suites._pairs import pairs_named
from convergebench.suites.own_edits import OwnEdit, own_edit
from convergebench.text_files import csv_rows, read_text

JSON_NOTES, CSV_NOTES = "pictures.json", "pictures.csv"
FIELDS = ("kind", "description", "edits")


@dataclass(frozen=True)
class Note:
    """Missing fields use the suite's default: all edits that suit the kind."""

    kind: str = "picture"
    description: str = ""
    edits: tuple[str, ...] | None = None
    """Ids of built-in pairs."""
    own_edits: tuple[OwnEdit, ...] = ()


def read_notes(folder: Path, names: Sequence[str]) -> dict[str, Note]:
    """The folder's notes by file name, from pictures.json or pictures.csv. Having neither is allowed, both is
    not."""
    as_json, as_csv = folder / JSON_NOTES, folder / CSV_NOTES
    if as_json.is_file() and as_csv.is_file():
        raise WrongUse(f"{folder} has both {JSON_NOTES} and {CSV_NOTES}; keep one of them.")
    if not as_json.is_file() and not as_csv.is_file():
        return {}
    path, entries = (as_json, _json_entries(as_json)) if as_json.is_file() else (as_csv, _csv_entries(as_csv))
    notes, files = {}, {one_form(name): name for name in names}
    for name, entry in entries:
        if one_form(name) not in files:
            raise unknown_name(f"picture in {folder} for the entry of {path.name}", name, names)
        notes[files[one_form(name)]] = note_of(entry, _misshapen(path))
    return notes


def note_of(entry: Mapping[str, Any], misshapen: WrongUse) -> Note:
    """A note from its fields; edits are a list, or a string separated by spaces or commas. An item of the
    list is the id of a built-in pair, or an edit of your own as an object."""
    said = {field: value for field, value in entry.items() if value not in (None, "")}
    edits = said.pop("edits", None)
    if isinstance(edits, str):
        edits = edits.replace(",", " ").split()
    if edits is not None and not (
        isinstance(edits, list) and all(isinstance(edit, str | dict) for edit in edits)
    ):
        raise misshapen
    own = tuple(own_edit(edit, "an edit in the notes") for edit in edits or () if isinstance(edit, dict))
    if edits is not None:
        edits = [edit for edit in edits if isinstance(edit, str)]
    if not said.keys() <= {"kind", "description"} or not all(isinstance(text, str) for text in said.values()):
        raise misshapen
    if edits is not None:
        pairs_named(edits)
    return Note(**said, edits=None if edits is None else tuple(edits), own_edits=own)


def _json_entries(path: Path) -> Iterable[tuple[str, Mapping[str, Any]]]:
    try:
        content = json.loads(read_text(path))
    except ValueError as error:
        raise WrongUse(f"{path} is not valid JSON ({error}); correct it or remove it.") from error
    if not isinstance(content, dict) or not all(isinstance(entry, dict) for entry in content.values()):
        raise _misshapen(path)
    return content.items()


def _csv_entries(path: Path) -> Iterable[tuple[str, Mapping[str, Any]]]:
    rows = [row for _, row in csv_rows(read_text(path), path)]
    if not all("file" in row and row.keys() <= {"file", *FIELDS} for row in rows):
        raise _misshapen(path)
    return [(row["file"], {field: row[field] for field in FIELDS if field in row}) for row in rows]


def _misshapen(path: Path) -> WrongUse:
    if path.name == CSV_NOTES:
        shape = f"have the columns file, {', '.join(FIELDS)}, with spaces between the edits"
    else:
        shape = (
            'look like {"file.jpg": {"kind": "portrait", "description": "…", "edits": ["hat_add_remove"]}}'
        )
    return WrongUse(f"{path} must {shape}; correct it or remove it.")
