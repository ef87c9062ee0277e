from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convergebench.results import SuiteId


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("converge@1", SuiteId("converge", "1")),
        ("converge@1/partial", SuiteId("converge", "1", partial=True)),
        ("converge@1/cross_edit", SuiteId("converge", "1", "cross_edit")),
        ("converge@1/cross_edit/partial", SuiteId("converge", "1", "cross_edit", partial=True)),
        ("imported", SuiteId("imported")),
        ("folder:a/b@0f", SuiteId("folder:a/b", "0f")),
    ],
)
def test_an_id_is_taken_apart_and_put_together(text: str, expected: SuiteId) -> None:
    assert SuiteId.parse(text) == expected
    assert str(expected) == text


@given(st.text(alphabet="ab@/1") | st.text())
def test_any_text_comes_back_as_it_was(text: str) -> None:
    for one in (text, f"{text}/partial"):
        assert str(SuiteId.parse(one)) == one


def test_a_suite_is_named_by_its_id_or_its_name_alone() -> None:
    suite = SuiteId("converge", "1", "cross_edit")
    assert all(suite.is_named(text) for text in ("converge", "converge@1/cross_edit", None))
    assert not any(suite.is_named(text) for text in ("converge@1", "converge@2", "cross_edit"))
