from __future__ import annotations

import csv
import logging
from collections import Counter
from pathlib import Path

import pytest

from convergebench.benchmarks.wiseedit.mini import write_mini
from convergebench.benchmarks.wiseedit.suite import (
    SUBSETS,
    load_wiseedit,
    result_pictures,
    wiseedit_ids,
)
from convergebench.benchmarks.wiseedit.table import plain_idx, split_references
from convergebench.errors import WrongUse
from convergebench.picture import Picture
from convergebench.suites.case_hints import references_of
from convergebench.suites.sampling import Sampling


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONVERGEBENCH_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write_mini(tmp_path / "data")


def change_row(data: Path, subset: str, **cells: str) -> None:
    (file,) = data.rglob(f"{subset}.csv")
    with file.open(encoding="utf-8-sig", newline="") as text:
        (row,) = csv.DictReader(text)
    with file.open("w", encoding="utf-8-sig", newline="") as text:
        writer = csv.DictWriter(text, list(row))
        writer.writeheader()
        writer.writerow({**row, **cells})


def test_every_subset_gives_a_case_in_each_language(data: Path) -> None:
    suite = load_wiseedit(str(data))
    assert Counter((case.category, case.language) for case in suite.cases) == {
        (subset, language): 1 for subset in SUBSETS for language in ("en", "cn")
    }
    assert {case.id for case in suite.cases} == wiseedit_ids(str(data))


def test_the_number_of_a_subset_is_that_of_its_input_pictures(data: Path) -> None:
    for case in load_wiseedit(str(data)).cases:
        assert len(case.sources) == int(case.category[-1])
        for source in case.sources:
            assert Picture.from_file(source.path).digest == source.digest


def test_each_language_has_its_own_prompt_and_keeps_the_english_one(data: Path) -> None:
    cases = {case.id: case for case in load_wiseedit(str(data)).cases}
    assert cases["Awareness_1/en/1"].forward == "Show this place half a year later."
    assert cases["Awareness_1/cn/1"].forward == "展示半年后的这个地方。"
    assert cases["Awareness_1/cn/1"].hints["english"] == cases["Awareness_1/en/1"].forward


def test_hints_and_reference_pictures_come_with_the_case(data: Path) -> None:
    cases = {case.id: case for case in load_wiseedit(str(data)).cases}
    assert cases["Awareness_1/en/1"].hints["hint"] == "Snow lies on the ground."
    (reference,) = references_of(cases["Awareness_1/en/1"])
    assert Picture.from_file(reference.path).digest == reference.digest
    assert references_of(cases["Imagination_1/en/1"]) == ()


@pytest.mark.parametrize(
    "cell",
    ['["a/1.png", "a/2.png"]', "a/1.png|a/2.png", "a/1.png; a/2.png ", '["a/1.png", " a/2.png", ""]'],
)
def test_references_are_a_list_or_separated_by_bars_or_semicolons(cell: str) -> None:
    assert split_references(cell) == ["a/1.png", "a/2.png"]


@pytest.mark.parametrize(
    ("cell", "paths"), [("", []), ("a.png", ["a.png"]), ('"a.png"', ["a.png"]), ("[]", [])]
)
def test_one_reference_or_none_is_read_too(cell: str, paths: list[str]) -> None:
    assert split_references(cell) == paths


@pytest.mark.parametrize(
    ("cell", "idx"), [("7", "7"), ("7.0", "7"), ("007", "007"), ("7.5", "7.5"), ("b7", "b7")]
)
def test_an_idx_is_read_as_result_pictures_are_named(cell: str, idx: str) -> None:
    assert plain_idx(cell) == idx


def test_a_row_without_an_instruction_in_a_language_is_no_case_there_and_is_told(
    data: Path, caplog: pytest.LogCaptureFixture
) -> None:
    change_row(data, "Awareness_1", promptcn="")
    with caplog.at_level(logging.WARNING, logger="convergebench"):
        cases = load_wiseedit(str(data), sampling=Sampling(("Awareness_1",))).cases
    assert [case.language for case in cases] == ["en"]
    assert "1 rows have no instruction in cn and are no cases: Awareness_1/1" in caplog.text


def test_pictures_that_are_not_there_are_named(data: Path) -> None:
    change_row(data, "Imagination_2", input_2="WiseEdit/lost.png")
    with pytest.raises(WrongUse, match=r"Imagination_2\.csv names are not there: .*lost\.png"):
        load_wiseedit(str(data))


def test_a_folder_without_tables_says_what_is_expected(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(WrongUse, match=r"Awareness_1/Awareness_1\.csv"):
        load_wiseedit(str(tmp_path / "empty"))


def test_result_folders_are_read_by_subset_language_and_idx(tmp_path: Path) -> None:
    for name in (
        "Awareness_1/en/3.png",
        "Awareness_1/cn/3.webp",
        "Other/en/1.png",
        "Awareness_1/en/notes.txt",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert dict(result_pictures(tmp_path)) == {
        "Awareness_1/cn/3": tmp_path / "Awareness_1/cn/3.webp",
        "Awareness_1/en/3": tmp_path / "Awareness_1/en/3.png",
    }
