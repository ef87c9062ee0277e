from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from convergebench.errors import WrongUse
from convergebench.suites import PAIRS, pair_asking
from convergebench.suites._pairs import cases_of, pairs_for
from convergebench.types import SourcePicture

PARTIAL = {"colour", "expression", "lighting", "weather", "background"}


@pytest.fixture
def picture() -> SourcePicture:
    return SourcePicture("anna", Path("anna.png"), "ab" * 32, "portrait")


def test_there_are_thirty_pairs_in_their_categories() -> None:
    assert len({pair.id for pair in PAIRS}) == 30
    assert Counter(pair.category for pair in PAIRS) == {
        "accessories": 9, "scene_objects": 9, "geometric": 3, "colour": 2, "expression": 2, "lighting": 2,
        "weather": 2, "background": 1,
    }  # fmt: skip


def test_just_the_pairs_of_the_five_later_categories_are_partially_reversible() -> None:
    assert {pair.category for pair in PAIRS if pair.reversibility != "reversible"} == PARTIAL
    assert {pair.category for pair in PAIRS if pair.reversibility == "reversible"}.isdisjoint(PARTIAL)


def test_every_pair_says_what_to_look_for_after_each_edit() -> None:
    assert all(pair.shows_after and pair.gone_after for pair in PAIRS)
    assert all(pair.shows_before for pair in PAIRS if pair.category != "geometric")


def test_a_pair_is_found_by_the_words_of_its_forward_edit() -> None:
    assert {pair_asking(pair.forward) for pair in PAIRS} == set(PAIRS)
    assert pair_asking("Add a walrus to the scene.") is None


def test_nobody_chose_means_the_eleven_of_the_original_benchmark(picture: SourcePicture) -> None:
    for kind in ("portrait", "scene", "object", "anything"):
        assert len(pairs_for(kind)) == 11
    assert len(cases_of(picture)) == 11


def test_a_case_of_a_chosen_edit_carries_its_class(picture: SourcePicture) -> None:
    (snow, hat) = cases_of(picture, ["hat_add_remove"], ["snow_add_remove", "hat_add_remove"])
    assert snow.id == "anna/snow_add_remove"
    assert snow.hints == {"reversibility": "information-destroying"}
    assert hat.hints == {"reversibility": "reversible", "already_shown": "yes"}


def test_hints_do_not_change_what_a_case_is(picture: SourcePicture) -> None:
    (plain,), (shown,) = (cases_of(picture, shown, ["hat_add_remove"]) for shown in ([], ["hat_add_remove"]))
    assert plain.fingerprint == shown.fingerprint


def test_the_fingerprint_of_a_case_is_that_of_earlier_releases(picture: SourcePicture) -> None:
    (hat,) = cases_of(picture, (), ["hat_add_remove"])
    assert hat.fingerprint == "52c77871f6a8ba67"


def test_an_unknown_edit_suggests_the_nearest(picture: SourcePicture) -> None:
    with pytest.raises(WrongUse, match=r"did you mean snow_add_remove\?"):
        cases_of(picture, (), ["snow_add_remov"])
