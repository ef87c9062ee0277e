"""The original benchmark's matrix: what its published table of experiments holds, counted by hand."""

from __future__ import annotations

from collections import Counter

from convergebench.types import Suite


def test_it_has_66_cases_in_the_originals_kinds_and_categories(predecessor: Suite) -> None:
    counts = Counter((case.kind, case.category) for case in predecessor.cases)
    assert counts == {
        ("portrait", "accessories"): 27,
        ("portrait", "geometric"): 6,
        ("scene", "scene_objects"): 27,
        ("scene", "geometric"): 6,
    }


def test_each_of_its_three_portraits_and_three_scenes_takes_eleven_edits(predecessor: Suite) -> None:
    kinds = {case.source.id: case.kind for case in predecessor.cases}
    assert Counter(kinds.values()) == {"portrait": 3, "scene": 3}
    assert set(Counter(case.source.id for case in predecessor.cases).values()) == {11}


def test_ten_rounds_of_it_are_the_originals_1320_edits(predecessor: Suite) -> None:
    from convergebench.protocols import round_trip

    assert len(predecessor.cases) * round_trip(10).edits == 1320


def test_its_cases_are_those_of_the_larger_suite_so_that_no_edit_is_paid_for_twice(
    predecessor: Suite, converge: Suite
) -> None:
    larger = {case.fingerprint for case in converge.cases}
    assert {case.fingerprint for case in predecessor.cases} <= larger
