from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convergebench.suites import PAIRS
from convergebench.suites._pairs import cases_of
from convergebench.suites.chained_cases import STAY, chained, staying
from convergebench.types import Case, SourcePicture

AREAS = {pair.id: pair.area for pair in PAIRS}
CLASSES = {pair.id: pair.reversibility for pair in PAIRS}
ALL = [pair.id for pair in PAIRS]


def of_picture(name: str, edits: list[str]) -> tuple[Case, ...]:
    return cases_of(SourcePicture(name, Path(f"{name}.png"), "ab" * 32, "scene"), (), edits)


some_edits = st.lists(st.sampled_from(ALL), min_size=1, unique=True)


@given(some_edits, st.integers(2, 5))
def test_edits_of_a_chain_are_different_and_touch_different_parts(edits: list[str], length: int) -> None:
    cases = of_picture("anna", edits)
    for case in chained(cases, cases, length, "sequence"):
        pairs = case.pair.split("+")
        assert len(pairs) == len(case.edits) == length
        assert len({AREAS[pair] for pair in pairs}) == length


@given(some_edits)
def test_a_chain_that_begins_reversibly_is_so_to_its_end_and_the_others_say_what_they_are(
    edits: list[str],
) -> None:
    cases = of_picture("anna", edits)
    for case in chained(cases, cases, 2, "cross_edit"):
        classes = [CLASSES[pair] for pair in case.pair.split("+")]
        if classes[0] == "reversible":
            assert set(classes) == {"reversible"}
        told = case.hints["reversibility"]
        assert told in classes
        assert (told == "reversible") == (set(classes) == {"reversible"})


@given(st.lists(st.sampled_from(ALL), min_size=1, max_size=5, unique=True))
def test_the_company_of_a_case_does_not_depend_on_which_others_were_chosen(chosen: list[str]) -> None:
    suite = of_picture("anna", ALL)
    whole = {case.id: case.fingerprint for case in chained(suite, suite, 2, "cross_edit")}
    some = chained([case for case in suite if case.pair in chosen], suite, 2, "cross_edit")
    assert {case.id: case.fingerprint for case in some}.items() <= whole.items()
    assert len(some) == len(chosen)


def test_a_case_without_company_is_left_out() -> None:
    glasses = of_picture("anna", ["glasses_add_remove", "sunglasses_add_remove"])
    assert chained(glasses, glasses, 2, "cross_edit") == ()


def test_an_edit_that_cannot_be_undone_is_no_company() -> None:
    hat, scarf = of_picture("anna", ["hat_add_remove", "scarf_add_remove"])
    suite = (hat, replace(scarf, backward=None))
    assert chained([hat], suite, 2, "cross_edit") == ()


def test_company_is_of_the_same_picture() -> None:
    suite = (*of_picture("anna", ["hat_add_remove"]), *of_picture("lake", ["cat_add_remove"]))
    assert chained(suite, suite, 2, "cross_edit") == ()


def test_two_protocols_on_the_same_pairs_are_different_cases() -> None:
    suite = of_picture("anna", ["hat_add_remove", "scarf_add_remove"])
    one, other = (chained(suite, suite, 2, name) for name in ("cross_edit", "cross_edit_swapped"))
    assert {case.pair for case in one} == {case.pair for case in other}
    assert {case.fingerprint for case in one}.isdisjoint(case.fingerprint for case in other)


def test_what_is_chained_is_part_of_what_a_case_is() -> None:
    suite = of_picture("anna", ["hat_add_remove", "scarf_add_remove"])
    (first, _) = chained(suite, suite, 2, "cross_edit")
    assert [edit.forward for edit in first.edits] == [
        "Add a hat to the person.",
        "Add a scarf to the person.",
    ]
    assert first.fingerprint not in {case.fingerprint for case in suite}


def test_each_picture_is_asked_to_stay_once() -> None:
    suite = (*of_picture("anna", ALL), *of_picture("lake", ALL[:3]))
    found = staying(suite)
    assert [case.id for case in found] == ["anna/stay", "lake/stay"]
    assert {(case.forward, case.backward) for case in found} == {(STAY, None)}


@pytest.mark.parametrize("length", [2, 3, 4])
def test_the_choice_is_the_same_on_every_machine(length: int) -> None:
    suite = of_picture("anna", ALL)
    chosen = {
        2: "hat_add_remove+umbrella_add_remove",
        3: "hat_add_remove+umbrella_add_remove+chair_add_remove",
        4: "hat_add_remove+umbrella_add_remove+chair_add_remove+book_add_remove",
    }
    hat = next(case for case in chained(suite, suite, length, "x") if case.pair.startswith("hat"))
    assert hat.pair == chosen[length]
