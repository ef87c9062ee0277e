"""WiseEdit: instructions that need knowledge or imagination, with one to five input pictures."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from pathlib import Path

from convergebench.benchmarks.wiseedit.table import WiseeditRow, read_table
from convergebench.errors import WrongUse, unknown_name
from convergebench.suites._info import OnPackage, SuiteInfo
from convergebench.suites._picture_files import source_in_bytes, source_in_file
from convergebench.suites.case_hints import ENGLISH, REFERENCES
from convergebench.suites.sampling import EVERY_CASE, Sampling, sample
from convergebench.types import Case, Suite, fingerprint_of

NAME = "wiseedit"
LANGUAGES = ("en", "cn")
BOTH = "both"
SUBSETS = (
    "Awareness_1", "Awareness_2", "Interpretation_1", "Imagination_1", "Imagination_2", "Imagination_3",
    "Imagination_4", "Imagination_5", "WiseEdit_Complex_2", "WiseEdit_Complex_3", "WiseEdit_Complex_4",
)  # fmt: skip
_RESULT_SUFFIXES = (".png", ".jpg", ".jpeg", ".webp")

_log = logging.getLogger("convergebench")


def load_wiseedit(data: str, language: str = BOTH, sampling: Sampling = EVERY_CASE) -> Suite:
    """The chosen cases from a copy of the data, in one language or in both."""
    rows = _rows(data)
    languages = _languages(language)
    chosen = sample(rows, lambda row: row.subset, sampling)
    cases = tuple(_case(row, one) for row in chosen for one in languages if one in row.prompts)
    _warn_of_gaps(chosen, languages)
    return Suite(NAME, _version(rows), cases)


def wiseedit_ids(data: str, language: str = BOTH) -> frozenset[str]:
    """Every case's id, chosen or not."""
    return frozenset(
        case_id(row.subset, one, row.idx)
        for row in _rows(data)
        for one in _languages(language)
        if one in row.prompts
    )


def case_id(subset: str, language: str, idx: str) -> str:
    return f"{subset}/{language}/{idx}"


def result_pictures(folder: Path) -> Iterator[tuple[str, Path]]:
    """Case ids and files in one model's folder of results: <subset>/<language>/<idx>.png."""
    for file in sorted(folder.glob("*/*/*")):
        subset, language = file.parent.parent.name, file.parent.name
        if subset in SUBSETS and language in LANGUAGES and file.suffix.lower() in _RESULT_SUFFIXES:
            yield case_id(subset, language, file.stem), file


def _rows(data: str) -> list[WiseeditRow]:
    if not data:
        raise WrongUse(
            "WiseEdit is read from a local copy; name its folder with --data, or as in wiseedit?data=PATH."
        )
    root = Path(data).expanduser()
    if not root.is_dir():
        raise WrongUse(
            f"{root} is not a folder; name WiseEdit's folder, which holds {SUBSETS[0]} and the others."
        )
    tables = {file.stem: file for file in sorted(root.rglob("*.csv")) if file.stem == file.parent.name}
    rows = [row for name in SUBSETS if name in tables for row in read_table(tables[name], name, root)]
    if not rows:
        raise WrongUse(
            f"{root} holds no tables such as {SUBSETS[0]}/{SUBSETS[0]}.csv; name WiseEdit's folder."
        )
    return rows


def _languages(language: str) -> tuple[str, ...]:
    if language not in (*LANGUAGES, BOTH):
        raise unknown_name("language of WiseEdit", language, (*LANGUAGES, BOTH))
    return LANGUAGES if language == BOTH else (language,)


def _case(row: WiseeditRow, language: str) -> Case:
    references = " ".join(source_in_bytes(path.read_bytes()).digest for path in row.references)
    english = row.prompts.get("en", "") if language != "en" else ""
    hints = {"hint": row.hint, REFERENCES: references, ENGLISH: english}
    return Case(
        case_id(row.subset, language, row.idx),
        tuple(map(source_in_file, row.inputs)),
        row.prompts[language],
        category=row.subset,
        language=language,
        hints={name: text for name, text in hints.items() if text},
    )


def _warn_of_gaps(rows: Sequence[WiseeditRow], languages: Sequence[str]) -> None:
    for language in languages:
        gaps = [f"{row.subset}/{row.idx}" for row in rows if language not in row.prompts]
        if gaps:
            _log.warning(
                "%d rows have no instruction in %s and are no cases: %s", len(gaps), language, ", ".join(gaps)
            )


def _version(rows: Sequence[WiseeditRow]) -> str:
    return fingerprint_of(sorted((row.subset, row.idx, dict(row.prompts), row.hint) for row in rows))[:8]


def _load(_: OnPackage, *, data: str = "", language: str = "", sampling: Sampling = EVERY_CASE) -> Suite:
    return load_wiseedit(data, language or BOTH, sampling)


SUITE = SuiteInfo(
    name=NAME,
    version="1",
    summary="WiseEdit: single edits that need knowledge or imagination, for a judge; wiseedit?data=PATH",
    pictures=None,
    cases=1220,
    load=_load,
    case_ids=lambda data, language: wiseedit_ids(data, language or BOTH),
)
