"""Your own pictures: a folder becomes a suite with the built-in edits.

An optional `pictures.json` in it tells what the pictures are:
{"anna.jpg": {"kind": "portrait", "description": "A woman on a bench"}}.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from convergebench.errors import BadPicture, WrongUse
from convergebench.suites._nearest import unknown
from convergebench.suites._pairs import cases_of
from convergebench.types import SourcePicture, Suite, fingerprint_of

FOLDER_PREFIX = "folder:"
_NOTES_FILE = "pictures.json"
_SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".webp", ".bmp", ".tif", ".tiff", ".gif"})


@dataclass(frozen=True)
class _Note:
    kind: str = "picture"
    description: str = ""


def load_folder(path: str) -> Suite:
    """Every picture that lies directly in the folder; all unreadable ones are named in one error."""
    folder = Path(path).expanduser().resolve()
    if not path or not folder.is_dir():
        raise WrongUse(f"{path or 'nothing'} is not a folder; write {FOLDER_PREFIX}/path/to/pictures.")
    files = sorted(file for file in folder.iterdir() if _is_meant_as_picture(file))
    if not files:
        raise WrongUse(f"{folder} holds no pictures; put PNG, JPEG or WebP files into it.")
    notes = _read_notes(folder / _NOTES_FILE, [file.name for file in files])
    pictures = _read_pictures(files, notes)
    return Suite(
        name=f"{FOLDER_PREFIX}{folder}",
        version=fingerprint_of([(picture.id, picture.digest, picture.kind) for picture in pictures]),
        cases=tuple(case for picture in pictures for case in cases_of(picture)),
    )


def _is_meant_as_picture(file: Path) -> bool:
    return file.suffix.lower() in _SUFFIXES and not file.name.startswith(".") and file.is_file()


def _read_pictures(files: list[Path], notes: dict[str, _Note]) -> list[SourcePicture]:
    from convergebench.picture import Picture

    uses_of_stem = Counter(file.stem for file in files)
    pictures: list[SourcePicture] = []
    problems: list[str] = []
    for file in files:
        try:
            digest = Picture.from_file(file).digest
        except BadPicture as error:
            problems.append(str(error).removeprefix(f"{file.parent}/"))
            continue
        note = notes.get(file.name, _Note())
        id = file.stem if uses_of_stem[file.stem] == 1 else file.name
        pictures.append(SourcePicture(id, file, digest, note.kind, note.description))
    if problems:
        count = "1 file" if len(problems) == 1 else f"{len(problems)} files"
        raise BadPicture(
            f"{count} of {len(files)} in {files[0].parent} cannot be read: {'; '.join(problems)}. "
            "Repair or remove them and try again."
        )
    return pictures


def _read_notes(path: Path, names: list[str]) -> dict[str, _Note]:
    if not path.is_file():
        return {}
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise WrongUse(f"{path} is not valid JSON ({error}); correct it or remove it.") from error
    if not isinstance(content, dict):
        raise _misshapen(path)
    for name in content:
        if name not in names:
            raise unknown(f"picture in {path.parent} for the entry of {_NOTES_FILE}", name, names)
    return {name: _note(path, entry) for name, entry in content.items()}


def _note(path: Path, entry: object) -> _Note:
    if (
        not isinstance(entry, dict)
        or not entry.keys() <= {"kind", "description"}
        or not all(isinstance(value, str) for value in entry.values())
    ):
        raise _misshapen(path)
    return _Note(**entry)


def _misshapen(path: Path) -> WrongUse:
    return WrongUse(
        f'{path} must look like {{"file.jpg": {{"kind": "portrait", "description": "…"}}}}; '
        "correct it or remove it."
    )
