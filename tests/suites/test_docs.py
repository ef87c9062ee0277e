from __future__ import annotations

from pathlib import Path

from convergebench.picture import Picture
from convergebench.suites._photos import Photo
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
