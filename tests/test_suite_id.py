from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convergebench.types import SuiteId


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("converge@1", SuiteId.of("converge", "1")),
        ("converge@1/partial", SuiteId.of("converge", "1", partial=True)),
        ("converge@1/cross_edit", SuiteId.of("converge", "1", "cross_edit")),
        ("converge@1/cross_edit/partial", SuiteId.of("converge", "1", "cross_edit", partial=True)),
        ("imported", SuiteId("imported")),
        ("folder:a/b@0f", SuiteId.of("folder:a/b", "0f")),
        ("folder:/me@home/b@0f/cross_edit", SuiteId.of("folder:/me@home/b", "0f", "cross_edit")),
    ],
)
def test_an_id_is_taken_apart_and_put_together(text: str, expected: SuiteId) -> None:
    found = SuiteId(text)
    assert found == expected
    assert (found.name, found.version, found.part) == (expected.name, expected.version, expected.part)


@given(st.text(alphabet="ab@/1") | st.text())
def test_any_text_is_the_sum_of_its_parts(text: str) -> None:
    for one in (SuiteId(text), SuiteId(f"{text}/partial")):
        assert SuiteId.of(one.name, one.version, one.part, partial=one.partial) == one
        assert one.of_edits(partial=one.partial) == one


def test_a_suite_is_named_by_its_id_or_its_name_alone() -> None:
    suite = SuiteId.of("converge", "1", "cross_edit")
    assert all(suite.is_named(text) for text in ("converge", "converge@1/cross_edit", None))
    assert not any(suite.is_named(text) for text in ("converge@1", "converge@2", "cross_edit"))


@pytest.mark.parametrize("recorded", ["folder:photos@0f", "folder:/data/photos@0f"])
def test_a_suite_of_files_may_be_typed_with_their_path(recorded: str) -> None:
    typed = ("folder:photos", "folder:/data/photos", "folder:../photos/", "folder:/data/photos@0f")
    assert all(SuiteId(recorded).is_named(text) for text in typed)
    others = ("photos", "folder:/photos/data", "edits:photos", "folder:photos@0e")
    assert not any(SuiteId(recorded).is_named(text) for text in others)
