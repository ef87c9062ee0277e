"""RE-Edit: instructions that need reasoning about physics, surroundings, culture, causes and references.

From its JSON file, a list of rows or an object of lists by category, or from a dataset on the hub that holds
that file. Pictures stand in the rows as base64, or lie at their path relative to the file.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from convergebench.benchmarks.reedit.rows import (
    CATEGORIES,
    BrokenRow,
    ReeditRow,
    ReeditRows,
    pictures_of,
    read_rows,
)
from convergebench.errors import WrongUse
from convergebench.suites._hub import local_copy
from convergebench.suites._info import OnPackage, SuiteInfo
from convergebench.suites.sampling import EVERY_CASE, Sampling, sample
from convergebench.types import Case, SourcePicture, Suite, fingerprint_of

__all__ = ["CATEGORIES", "FILE", "NAME", "SUITE", "check_english", "load_reedit", "reedit_ids"]

NAME = "reedit"
FILE = "RE-Edit.json"
_ENDINGS = ("_primary", "_refined")
_PATTERNS = ("*.json", "*.png", "*.jpg", "*.jpeg", "*.webp")
_ADVICE = f"give RE-Edit's {FILE} or its folder, or the id of a dataset on the hub that holds it"

_log = logging.getLogger("convergebench")


def load_reedit(data: str, sampling: Sampling = EVERY_CASE) -> Suite:
    """The chosen cases. Rows that are broken are no cases, and a warning names each with its reason."""
    file = _file(data)
    read = _read(file)
    _warn(read, file)
    chosen = sample(read.rows, lambda row: row.category, sampling)
    pictures = pictures_of(file, {row.number for row in chosen})
    return Suite(NAME, _version(read.rows), tuple(_case(row, pictures[row.number]) for row in chosen))


def reedit_ids(data: str) -> frozenset[str]:
    """Every case's id, chosen or not."""
    return frozenset(row.id for row in _read(_file(data)).rows)


def result_pictures(folder: Path) -> Iterator[tuple[str, Path]]:
    """Case ids and files in a folder of results: <category>/<id>_primary.png; without such files those that
    end in _refined.png, and else all."""
    files = [file for name in CATEGORIES for file in sorted((folder / name).glob("*.png"))]
    for ending in (*_ENDINGS, ""):
        found = [file for file in files if file.stem.endswith(ending)]
        if found:
            break
    for file in found:
        yield f"{file.parent.name}/{file.stem.removesuffix(ending)}", file


def check_english(language: str) -> None:
    if language not in ("", "en"):
        raise WrongUse(f"RE-Edit is read in English, not in {language!r}; leave the language out")


def _file(data: str) -> Path:
    if not data:
        raise WrongUse(
            f"RE-Edit is read from its file; name {FILE} with --data, or as in reedit?data={FILE}."
        )
    place = local_copy(data, _PATTERNS, _ADVICE)
    if place.is_file():
        return place
    found = [place / FILE] if (place / FILE).is_file() else sorted(place.glob("*.json"))
    if len(found) == 1:
        return found[0]
    held = f"holds {', '.join(file.name for file in found)}" if found else "holds no .json file"
    raise WrongUse(f"{place} {held}; name the one file of RE-Edit as data.")


def _read(file: Path) -> ReeditRows:
    read = read_rows(file)
    if not read.rows:
        why = f": {_named(read.broken)}" if read.broken else ""
        raise WrongUse(f"{file} has no row that can be used{why}; give RE-Edit's {FILE}.")
    return read


def _warn(read: ReeditRows, file: Path) -> None:
    if read.broken:
        count = len(read.rows) + len(read.broken)
        broken, names = len(read.broken), _named(read.broken)
        _log.warning("%d of %d rows of %s are broken and no cases: %s", broken, count, file, names)
    if read.renamed:
        _log.warning(
            "rows of %s whose picture has the name of an earlier row's are cases of their own (%d): %s",
            file, len(read.renamed), ", ".join(f"row {row.number} is {row.id}" for row in read.renamed),
        )  # fmt: skip


def _named(broken: Iterable[BrokenRow]) -> str:
    """All of them, by reason."""
    reasons: dict[str, list[str]] = {}
    for one in broken:
        reasons.setdefault(one.reason, []).append(f"row {one.number} ({one.name})")
    return "; ".join(f"{', '.join(rows)}: {reason}" for reason, rows in reasons.items())


def _version(rows: Sequence[ReeditRow]) -> str:
    content = sorted((row.id, row.instruction, row.description, row.rationale) for row in rows)
    return fingerprint_of(content)[:8]


def _case(row: ReeditRow, source: SourcePicture) -> Case:
    hints = {"description": row.description, "rationale": row.rationale}
    return Case(
        row.id,
        (source,),
        row.instruction,
        category=row.category,
        hints={name: text for name, text in hints.items() if text},
    )


def _load(_: OnPackage, *, data: str = "", language: str = "", sampling: Sampling = EVERY_CASE) -> Suite:
    check_english(language)
    return load_reedit(data, sampling)


def _case_ids(data: str, language: str) -> frozenset[str]:
    check_english(language)
    return reedit_ids(data)


SUITE = SuiteInfo(
    name=NAME,
    version="1",
    summary="RE-Edit: single edits that need reasoning, in five categories, for a judge; reedit?data=PATH",
    pictures=1000,
    cases=1000,
    load=_load,
    case_ids=_case_ids,
)
