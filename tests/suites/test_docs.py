from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from convergebench.picture import Picture
from convergebench.protocols import NAMES
from convergebench.suites import PAIRS, listing
from convergebench.suites._photos import Photo
from convergebench.suites.catalogue import pictures
from convergebench.types import Suite

DOCS = Path(__file__).parents[2] / "docs" / "suites.md"


def rows() -> dict[str, str]:
    lines = DOCS.read_text(encoding="utf-8").splitlines()
    return {line.split("`")[1]: line for line in lines if line.startswith(("| `portrait_", "| `scene_"))}


def test_the_table_names_every_picture_with_its_size(converge: Suite) -> None:
    sources = {case.source for case in converge.cases}
    assert rows().keys() == {source.id for source in sources}
    for source in sources:
        width, height = Picture.from_file(source.path).size
        assert f"| {source.description} | {width} × {height} |" in rows()[source.id]


def test_the_table_names_package_and_terms_of_every_photograph(packaged_photos: tuple[Photo, ...]) -> None:
    for photo in packaged_photos:
        assert f"| {photo.file.requirement}, `{Path(photo.file.member).name}` |" in rows()[photo.id]
        assert rows()[photo.id].endswith(f"| {photo.terms} |")


def test_the_table_of_edits_says_what_the_pairs_say() -> None:
    text = DOCS.read_text(encoding="utf-8")
    for pair in PAIRS:
        if pair.category in ("accessories", "scene_objects"):
            assert pair.id.removesuffix("_add_remove") in text
        else:
            assert f"| `{pair.id}` | {pair.forward} | {pair.backward} | {pair.reversibility} |" in text


def test_the_suites_are_counted_as_they_are() -> None:
    counted = {(info.name, info.version): info for info in listing()}
    text = DOCS.read_text(encoding="utf-8")
    for version in ("0", "1", "2", "predecessor"):
        row = next(line for line in text.splitlines() if line.startswith(f"| `converge@{version}` "))
        info = counted["converge", version]
        assert f"| {info.pictures}" in row
        assert f"| {info.cases} |" in row


def test_the_small_suite_is_counted_as_it_is() -> None:
    text = DOCS.read_text(encoding="utf-8")
    first, second = sorted(
        (info for info in listing() if info.name == "converge-small"), key=lambda info: info.version
    )
    assert f"| `converge-small` | {first.pictures} of these | {first.cases} |" in text
    assert f"| `converge-small@2` | {second.pictures} of these | {second.cases} |" in text


def test_the_predecessors_matrix_is_what_it_asks(predecessor: Suite) -> None:
    text = DOCS.read_text(encoding="utf-8")
    for category, cases in Counter(case.category for case in predecessor.cases).items():
        row = next(line for line in text.splitlines() if re.match(rf"\| {category} \|.*\d \|$", line))
        assert row.endswith(f"| {cases} |")


def test_every_protocol_is_in_the_table() -> None:
    text = DOCS.read_text(encoding="utf-8")
    assert all(f"| `{name}`" in text for name in NAMES)


def test_the_matrix_of_version_1_counts_its_cases_by_kind_and_category() -> None:
    category = {pair.id: pair.category for pair in PAIRS}
    counted = Counter((picture.kind, category[edit]) for picture in pictures() for edit in picture.edits)
    lines = DOCS.read_text(encoding="utf-8").splitlines()
    (start,) = [
        number for number, line in enumerate(lines) if line.startswith("| | accessories | scene_objects")
    ]
    headings = [cell.strip() for cell in lines[start].split("|")[2:-1]]
    assert set(headings) == set(category.values())
    for line in lines[start + 2 : start + 5]:
        kind, *cells = (cell.strip() for cell in line.split("|")[1:-1])
        assert [int(cell) for cell in cells] == [counted[kind, heading] for heading in headings]
    assert sum(counted.values()) == 1213
