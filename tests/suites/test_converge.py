"""The suite of the catalogue; its photographs come from many packages, so tests load the rendered part."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from convergebench.errors import DownloadFailed, WrongUse
from convergebench.suites import PAIRS, listing, load
from convergebench.suites.catalogue import pictures

RENDERED = [picture for picture in pictures() if picture.origin == "rendered"]


def test_the_rendered_part_needs_no_network_and_has_the_catalogues_edits(offline: Path) -> None:
    suite = load("converge@1?origin=rendered")
    assert (suite.name, suite.version) == ("converge", "1")
    assert Counter(case.source.id for case in suite.cases) == {one.id: len(one.edits) for one in RENDERED}
    assert {(case.source.id, case.pair) for case in suite.cases} == {
        (one.id, edit) for one in RENDERED for edit in one.edits
    }


def test_its_cases_carry_the_class_of_their_edit(offline: Path) -> None:
    classes = {pair.id: pair.reversibility for pair in PAIRS}
    for case in load("converge@1?origin=rendered").cases:
        assert case.hints["reversibility"] == classes[case.pair]


def test_every_pair_is_asked_of_some_picture() -> None:
    asked = {edit for picture in pictures() for edit in picture.edits}
    assert asked == {pair.id for pair in PAIRS}


def test_the_listing_counts_the_catalogue() -> None:
    (info,) = [info for info in listing() if (info.name, info.version) == ("converge", "1")]
    assert info.pictures == len(pictures())
    assert info.cases == sum(len(picture.edits) for picture in pictures())


def test_without_a_network_the_error_names_what_needs_none(offline: Path) -> None:
    with pytest.raises(DownloadFailed, match=r"converge\?origin=rendered .* need no download"):
        load("converge@1")


def test_an_origin_that_there_is_not_is_wrong_use() -> None:
    with pytest.raises(WrongUse, match="choose from photo, rendered"):
        load("converge@1?origin=painted")
