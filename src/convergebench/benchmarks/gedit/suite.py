"""GEdit-Bench: real pictures and requests, in English and Chinese, eleven kinds of edit.

From the hub, or from a local path: its parquet files, a folder written by `datasets`, or JSON lines with the
same fields, in which `input_image` is the path of a picture.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from convergebench.benchmarks.gedit.rows import GeditRow, pictures_of, read_rows
from convergebench.errors import WrongUse, unknown_name
from convergebench.suites._hub import local_copy
from convergebench.suites._info import OnPackage, SuiteInfo
from convergebench.suites.sampling import EVERY_CASE, Sampling, sample
from convergebench.types import Case, SourcePicture, Suite, fingerprint_of

NAME = "gedit"
HUB_ID = "stepfun-ai/GEdit-Bench"
LANGUAGES = ("en", "cn")
SUBSETS = (
    "background_change", "color_alter", "material_alter", "motion_change", "ps_human", "style_change",
    "subject-add", "subject-remove", "subject-replace", "text_change", "tone_transfer",
)  # fmt: skip
INTERSECTION = "intersection"
"""The hint of cases that belong to the publication's second table."""
_SOURCE = "_SRCIMG"
_PATTERNS = ("*.parquet", "*.arrow")
_ADVICE = f"give GEdit-Bench's files or folder, or a hub id such as {HUB_ID}"


def load_gedit(data: str = HUB_ID, language: str = "en", sampling: Sampling = EVERY_CASE) -> Suite:
    """The chosen cases in one language. `data` is a path, or else a hub id, which is downloaded once."""
    rows = _rows(data, language)
    chosen = sample(rows, lambda row: row.subset, sampling)
    pictures = pictures_of(chosen)
    cases = tuple(_case(row, pictures[row.file, row.number]) for row in chosen)
    return Suite(NAME, _version(rows, language), cases)


def gedit_ids(data: str = HUB_ID, language: str = "en") -> frozenset[str]:
    """Every case's id in this language, chosen or not."""
    return frozenset(row.key for row in _rows(data, language))


def result_pictures(folder: Path) -> Iterator[tuple[str, Path]]:
    """Places and files in one model's folder of results: fullset/<task>/<language>/<key>.png."""
    root = folder / "fullset" if (folder / "fullset").is_dir() else folder
    for file in sorted(root.glob("*/*/*.png")):
        subset, language = file.parent.parent.name, file.parent.name
        if subset in SUBSETS and language in LANGUAGES and not file.stem.endswith(_SOURCE):
            yield f"{subset}/{language}/{file.stem}", file


def case_of_result(place: str, language: str, known: Collection[str]) -> str | None:
    """The case of a result at <task>/<language>/<key>."""
    subset, of, key = place.split("/", 2)
    if of != (language or LANGUAGES[0]):
        return None
    return f"{subset}/{key}" if f"{subset}/{key}" in known else key


def _rows(data: str, language: str) -> list[GeditRow]:
    if language not in LANGUAGES:
        raise unknown_name("language of GEdit-Bench", language, LANGUAGES)
    rows = [row for row in read_rows(local_copy(data, _PATTERNS, _ADVICE)) if row.language == language]
    if not rows:
        raise WrongUse(f"{data} has no instructions in {language!r}; choose another language or other data.")
    return _with_distinct_keys(rows, data)


def _with_distinct_keys(rows: list[GeditRow], data: str) -> list[GeditRow]:
    """A key that occurs in several tasks has its task before it: <task>/<key>."""
    tasks = Counter(row.key for row in rows)
    places = Counter((row.subset, row.key) for row in rows)
    (subset, key), uses = places.most_common(1)[0]
    if uses > 1:
        raise WrongUse(f"{data} has {uses} rows with the key {key} in {subset}; keep one of them.")
    return [replace(row, key=f"{row.subset}/{row.key}") if tasks[row.key] > 1 else row for row in rows]


def _version(rows: Sequence[GeditRow], language: str) -> str:
    content = sorted((row.key, row.subset, row.instruction) for row in rows)
    return f"{language}-{fingerprint_of(content)[:8]}"


def _case(row: GeditRow, source: SourcePicture) -> Case:
    return Case(
        row.key,
        (source,),
        row.instruction,
        category=row.subset,
        language=row.language,
        hints={INTERSECTION: "yes"} if row.is_in_intersection else {},
    )


def _load(_: OnPackage, *, data: str = "", language: str = "", sampling: Sampling = EVERY_CASE) -> Suite:
    return load_gedit(data or HUB_ID, language or "en", sampling)


SUITE = SuiteInfo(
    name=NAME,
    version="1",
    summary="GEdit-Bench: single edits for a judge; from the hub, or gedit?data=PATH&language=cn",
    pictures=606,
    cases=606,
    load=_load,
    case_ids=lambda data, language: gedit_ids(data or HUB_ID, language or "en"),
)
