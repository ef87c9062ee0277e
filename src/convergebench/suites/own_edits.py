"""Your own edits, from a CSV, JSONL or TOML file, on your own pictures or those of a suite.

Each row has `forward`, and optionally `picture` (a file name, id or glob; all pictures by default),
`backward`, `category`, `reversibility`, `name`, `area`, `caption_before`, `caption_after`, and hints: an
object under `hints`, or CSV columns that begin with `hint_`. A TOML file has them as tables [[edit]].
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, get_args

from convergebench.data_paths import path_inside
from convergebench.errors import WrongUse, unknown_name
from convergebench.suites._own_pictures import files_named, is_meant_as_picture, one_form, picture_ids
from convergebench.text_files import csv_rows, has_half_character, json_lines, read_text
from convergebench.types import Case, Reversibility, SourcePicture, Suite, fingerprint_of

EDITS_PREFIX = "edits:"
OWN = "own_edit"
"""The hint that a case's edit was written by the user, with the origin of its inverse."""
AREA, CAPTION_BEFORE, CAPTION_AFTER = "area", "caption_before", "caption_after"
OWN_CATEGORY = "own"
"""The category of an edit whose user gave none."""
_TEXTS = ("picture", "forward", "backward", "category", "reversibility", "name", AREA,
          CAPTION_BEFORE, CAPTION_AFTER)  # fmt: skip
_HINT_COLUMN = "hint_"
_LONGEST_NAME = 48


@dataclass(frozen=True)
class OwnEdit:
    forward: str
    picture: str = "*"
    backward: str | None = None
    """None to have it filled in, or for an edit that is not undone."""
    category: str = OWN_CATEGORY
    reversibility: Reversibility | None = None
    """None to have it derived from the words."""
    name: str = ""
    """The id of the pair of edits; by default made from the words."""
    hints: Mapping[str, str] = field(default_factory=dict)

    @property
    def pair(self) -> str:
        words = re.sub(r"[^a-z0-9]+", "_", self.forward.lower()).strip("_")
        return self.name or words[:_LONGEST_NAME].rstrip("_") or fingerprint_of(self.forward)

    def applies_to(self, picture: SourcePicture) -> bool:
        wanted = one_form(self.picture)
        return any(fnmatchcase(one_form(name), wanted) for name in (picture.id, picture.path.name))


def read_own_edits(path: Path) -> tuple[OwnEdit, ...]:
    """All edits in the file; WrongUse names the row that is wrong."""
    path = path.expanduser()
    edits = tuple(own_edit(row, f"{path}, {where}") for where, row in _rows(path))
    if not edits:
        raise WrongUse(f"{path} has no edits; add rows with at least forward")
    return edits


def own_edit(row: Mapping[str, Any], where: str) -> OwnEdit:
    """One edit from its fields."""
    given = {key: value for key, value in row.items() if value not in (None, "")}
    hints = {key: given.pop(key) for key in (AREA, CAPTION_BEFORE, CAPTION_AFTER) if key in given}
    further = given.pop("hints", {})
    if not isinstance(further, Mapping):
        raise WrongUse(f"{where}: hints must be an object of texts; correct it")
    hints |= further
    for key in [key for key in given if key.startswith(_HINT_COLUMN)]:
        hints[key.removeprefix(_HINT_COLUMN)] = given.pop(key)
    for key in given:
        if key not in _TEXTS:
            raise unknown_name(f"field in {where}:", key, [*_TEXTS, "hints"])
    if not all(isinstance(value, str) for value in (*given.values(), *hints.values())):
        raise WrongUse(f"{where}: every field must be a text; correct it")
    if any(has_half_character(value) for value in (*given.values(), *hints.values())):
        raise WrongUse(f"{where} has half of a character (a lone surrogate) in a text; correct it")
    if not given.get("forward", "").strip():
        raise WrongUse(f"{where} has no forward instruction; add one")
    if (CAPTION_BEFORE in hints) != (CAPTION_AFTER in hints):
        raise WrongUse(f"{where} needs both {CAPTION_BEFORE} and {CAPTION_AFTER}, or neither")
    known = get_args(Reversibility)
    if given.get("reversibility", known[0]) not in known:
        raise WrongUse(f"{where}: reversibility must be one of {', '.join(known)}")
    return OwnEdit(**given, hints=hints)


def own_case(picture: SourcePicture, edit: OwnEdit) -> Case:
    """The edit on a picture; its inverse may still be missing."""
    hints = {**edit.hints, OWN: "written" if edit.backward else ""}
    if edit.reversibility:
        hints["reversibility"] = edit.reversibility
    return Case(
        id=f"{picture.id}/{edit.pair}",
        sources=(picture,),
        forward=edit.forward,
        backward=edit.backward,
        pair=edit.pair,
        category=edit.category,
        kind=picture.kind,
        hints=hints,
    )


def with_own_edits(suite: Suite, edits: Sequence[OwnEdit]) -> Suite:
    """The suite's pictures with these edits instead of its own."""
    pictures = list(dict.fromkeys(case.source for case in suite.cases))
    for edit in edits:
        if not any(edit.applies_to(picture) for picture in pictures):
            names = [picture.id for picture in pictures]
            raise unknown_name(f"picture in {suite.name} for {edit.forward!r}:", edit.picture, names)
    version = f"{suite.version}-{fingerprint_of([asdict(edit) for edit in edits])[:8]}"
    return Suite(suite.name, version, _cases(pictures, edits))


def load_own_edits(path: str) -> Suite:
    """The edits on the pictures that they name, relative to the file."""
    file = Path(path).expanduser().resolve()
    edits = read_own_edits(file)
    found: dict[Path, None] = {}
    for edit in edits:
        if path_inside(file.parent, edit.picture) is None:
            raise WrongUse(
                f"{file.name} names {edit.picture!r}, outside its folder; name the pictures with --images"
            )
        matching = [one for one in sorted(files_named(file.parent, edit.picture)) if is_meant_as_picture(one)]
        if not matching:
            raise WrongUse(
                f"{file.parent} has no picture {edit.picture!r} for {edit.forward!r}; correct the name, or "
                "name the pictures with --images or --suite"
            )
        found |= dict.fromkeys(matching)
    pictures = _read_pictures(list(found), file.parent)
    placed = [_by_name(edit, pictures, file.parent) for edit in edits]
    identity = [[one.id, one.digest] for one in pictures.values()]
    version = fingerprint_of(identity, [asdict(edit) for edit in edits])
    cases = [
        own_case(picture, edit)
        for picture in pictures.values()
        for edit, names in placed
        if picture.id in names
    ]
    return Suite(f"{EDITS_PREFIX}{file.name}", version, _different(cases))


def _cases(pictures: Sequence[SourcePicture], edits: Sequence[OwnEdit]) -> tuple[Case, ...]:
    return _different(
        [own_case(picture, edit) for picture in pictures for edit in edits if edit.applies_to(picture)]
    )


def _different(cases: Sequence[Case]) -> tuple[Case, ...]:
    """The cases; WrongUse if two of a picture have the same name."""
    found: dict[str, Case] = {}
    for case in cases:
        other = found.setdefault(case.id, case)
        if other is not case:
            raise WrongUse(f"two edits of {case.source.id} are called {case.pair}; give one another name")
    return tuple(found.values())


def _by_name(
    edit: OwnEdit, pictures: Mapping[Path, SourcePicture], folder: Path
) -> tuple[OwnEdit, frozenset[str]]:
    return edit, frozenset(pictures[one].id for one in files_named(folder, edit.picture) if one in pictures)


def _read_pictures(files: Sequence[Path], folder: Path) -> dict[Path, SourcePicture]:
    from convergebench.picture import Picture

    return {
        file: SourcePicture(id, file, Picture.from_file(file).digest)
        for file, id in picture_ids(files, folder).items()
    }


def _rows(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Each row with its position."""
    text, kind = read_text(path), path.suffix.lower()
    if kind == ".csv":
        yield from ((f"line {number}", row) for number, row in csv_rows(text, path))
    elif kind in (".jsonl", ".ndjson"):
        for number, line in json_lines(text):
            yield f"line {number}", _object(line, f"{path}, line {number}")
    elif kind == ".toml":
        try:
            content = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise WrongUse(f"{path} is not valid TOML ({error}); correct it") from error
        rows = content["edit"] if set(content) == {"edit"} else None
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise WrongUse(f"{path} must have its edits as tables [[edit]]; correct it")
        yield from ((f"edit {number}", row) for number, row in enumerate(rows, start=1))
    else:
        raise WrongUse(f"{path} must be a .csv, .jsonl or .toml file; rename or convert it")


def _object(line: str, where: str) -> Mapping[str, Any]:
    try:
        found = json.loads(line)
    except ValueError as error:
        raise WrongUse(f"{where} is not valid JSON ({error}); correct it") from error
    if not isinstance(found, dict):
        raise WrongUse(f'{where} must be an object, such as {{"forward": "Add a hat."}}; correct it')
    return found
