"""Long JSON files give what json.load gives, a row at a time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convergebench.benchmarks.reedit.long_json import rows_in
from convergebench.errors import WrongUse

ROWS: list[Any] = [{"a": "x" * 9_000_000}, {"b": ["]", "}", '"', "\\"]}, 12, -3.5e-7, "ü", None, [], {}]


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("json") / "rows.json"


@pytest.mark.parametrize("indent", [None, 2])
def test_rows_longer_than_what_is_read_at_a_time_come_out_whole(place: Path, indent: int | None) -> None:
    place.write_text(json.dumps(ROWS, indent=indent))
    assert [row for _, row in rows_in(place)] == ROWS


def test_an_object_of_lists_gives_each_row_with_its_key(place: Path) -> None:
    place.write_text('\ufeff {"causal" : [1, 2] , "empty": [ ], "physical":[{}]}\n')
    assert list(rows_in(place)) == [("causal", 1), ("causal", 2), ("physical", {})]


@given(st.lists(st.recursive(st.none() | st.integers() | st.text(), st.lists, max_leaves=5)))
def test_any_list_comes_out_as_it_went_in(place: Path, rows: list[Any]) -> None:
    place.write_text(json.dumps(rows, ensure_ascii=False), encoding="utf-8")
    assert [row for _, row in rows_in(place)] == rows


@pytest.mark.parametrize(
    "text",
    ["", "{", "[1, 2", "[1 2]", "[1],[2]", '{"a": 1}', '{"a": [1]', "12", '[{"a": tru}]', "[" * 100_000],
)
def test_what_is_no_list_of_rows_is_one_sentence(place: Path, text: str) -> None:
    place.write_text(text)
    with pytest.raises(WrongUse, match=r"is not a JSON list of rows, or an object of such lists .*; correct"):
        list(rows_in(place))


def test_a_file_that_is_no_text_is_one_sentence(place: Path) -> None:
    place.write_bytes(b"[\xff\xfe]")
    with pytest.raises(WrongUse, match="is not a JSON list of rows"):
        list(rows_in(place))
