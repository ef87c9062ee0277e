"""Your own pictures: a folder becomes a suite with the built-in edits.

An optional `pictures.json` in it describes the pictures, and lists the edits that suit them:
{"anna.jpg": {"kind": "portrait", "description": "A woman on a bench", "edits": ["hat_add_remove"]}};
an edit of your own is an object, as in {"forward": "Add a scarf.", "backward": "Remove the scarf."};
a `pictures.csv` with the columns file, kind, description and edits does the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from convergebench.errors import BadPicture, WrongUse
from convergebench.suites._own_pictures import is_meant_as_picture, picture_ids
from convergebench.suites._pairs import cases_of
from convergebench.suites._picture_notes import Note, read_notes
from convergebench.suites.own_edits import own_case
from convergebench.types import SourcePicture, Suite, fingerprint_of

FOLDER_PREFIX = "folder:"


def load_folder(path: str) -> Suite:
    """Every picture directly in the folder; one error lists all unreadable pictures."""
    folder = Path(path).expanduser().resolve()
    if not path or not folder.is_dir():
        raise WrongUse(f"{path or 'nothing'} is not a folder; write {FOLDER_PREFIX}/path/to/pictures.")
    files = sorted(file for file in folder.iterdir() if is_meant_as_picture(file))
    if not files:
        raise WrongUse(f"{folder} has no pictures; add PNG, JPEG or WebP files.")
    notes = read_notes(folder, [file.name for file in files])
    pictures = _read_pictures(files, notes)
    name = f"{FOLDER_PREFIX}{folder.name or folder}"  # it may be moved, and is in every title
    return suite_of(name, pictures, [notes.get(one.path.name, Note()) for one in pictures])


def suite_of(name: str, pictures: Sequence[SourcePicture], notes: Sequence[Note]) -> Suite:
    """The pictures with the edits from their notes, or the edits that suit their kind."""
    return Suite(
        name=name,
        version=fingerprint_of([_identity(*one) for one in zip(pictures, notes, strict=True)]),
        cases=tuple(
            case
            for picture, note in zip(pictures, notes, strict=True)
            for case in (
                *cases_of(picture, edits=note.edits),
                *(own_case(picture, edit) for edit in note.own_edits),
            )
        ),
    )


def _identity(picture: SourcePicture, note: Note) -> list[object]:
    named = [] if note.edits is None else [sorted(note.edits)]
    own = [[asdict(edit) for edit in note.own_edits]] if note.own_edits else []
    return [picture.id, picture.digest, picture.kind, *named, *own]


def _read_pictures(files: list[Path], notes: dict[str, Note]) -> list[SourcePicture]:
    from convergebench.picture import Picture

    ids = picture_ids(files, files[0].parent)
    pictures: list[SourcePicture] = []
    problems: list[str] = []
    for file in files:
        try:
            digest = Picture.from_file(file).digest
        except BadPicture as error:
            problems.append(str(error).removeprefix(f"{file.parent}/"))
            continue
        note = notes.get(file.name, Note())
        pictures.append(SourcePicture(ids[file], file, digest, note.kind, note.description))
    if problems:
        count = "1 file" if len(problems) == 1 else f"{len(problems)} files"
        raise BadPicture(
            f"{count} of {len(files)} in {files[0].parent} cannot be read: {'; '.join(problems)}. "
            "Repair or remove them and try again."
        )
    return pictures
