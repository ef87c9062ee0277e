from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convergebench.instructions.categories import whole_picture_category
from convergebench.metrics.regions import edit_scope
from convergebench.suites import PAIRS
from convergebench.suites._pairs import EditPair
from labelled_categories import LOCAL, WHOLE


@pytest.mark.parametrize("text", LOCAL)
def test_an_edit_of_one_part_is_never_taken_for_one_of_the_whole_picture(text: str) -> None:
    assert whole_picture_category(text) is None


@pytest.mark.parametrize(("text", "category"), WHOLE)
def test_an_edit_of_the_whole_picture_has_the_category_that_its_words_name(text: str, category: str) -> None:
    assert whole_picture_category(text) == category
    assert edit_scope(category) == "global"


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.id)
def test_the_words_of_a_built_in_pair_agree_with_its_category(pair: EditPair) -> None:
    assert whole_picture_category(pair.forward) in (pair.category, None)


def test_the_words_know_all_built_in_edits_of_the_whole_picture() -> None:
    whole = [pair for pair in PAIRS if edit_scope(pair.category) == "global"]
    assert [whole_picture_category(pair.forward) for pair in whole] == [pair.category for pair in whole]


@given(st.sampled_from(WHOLE), st.sampled_from(["Please ", "could you ", "  "]))
def test_courtesy_case_and_full_stops_change_nothing(row: tuple[str, str], before: str) -> None:
    text, category = row
    assert whole_picture_category(f"{before}{text.upper()} ") == category


@given(st.text(max_size=60))
def test_any_text_has_a_category_or_none(text: str) -> None:
    found = whole_picture_category(text)
    assert found is None or re.fullmatch("[a-z_]+", found)


def test_a_very_long_instruction_is_read_at_once() -> None:
    assert whole_picture_category("Make it look like " + "very " * 20_000 + "far") is None
