from __future__ import annotations

import pytest

from convergebench.suites import load
from convergebench.suites.converge_small import SUITE


def test_it_fetches_no_more_than_two_packages() -> None:
    assert {file.requirement.partition("==")[0] for file in SUITE.files} == {"scikit-image", "matplotlib"}


@pytest.mark.usefixtures("converge")  # which fetches those packages
def test_it_has_twelve_pictures_of_all_kinds_and_its_cases_are_those_of_converge() -> None:
    cases = load("converge-small").cases
    assert len({case.source.id for case in cases}) == SUITE.pictures == 12
    assert {case.kind for case in cases} == {"portrait", "object", "scene"}
    rendered = {case.fingerprint for case in load("converge?origin=rendered").cases}
    assert sum(case.fingerprint in rendered for case in cases) > len(cases) / 2
