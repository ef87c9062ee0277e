from __future__ import annotations

import pytest

from convergebench.metrics.regions import edit_scope
from convergebench.metrics.regions.scope import SCOPES
from convergebench.suites import PAIRS


def test_every_built_in_category_is_local_or_global_for_a_reason() -> None:
    assert {pair.category for pair in PAIRS} <= set(SCOPES)
    assert all(reason for _, reason in SCOPES.values())


@pytest.mark.parametrize(
    ("pair", "scope"),
    [
        ("hat_add_remove", "local"),
        ("red_ball_add_remove", "local"),
        ("eyes_close_open", "local"),
        ("rotate_90_cw", "global"),
        ("sepia_and_back", "global"),
        ("day_night", "global"),
        ("snow_add_remove", "global"),
    ],
)
def test_the_scope_of_an_edit_is_that_of_its_category(pair: str, scope: str) -> None:
    (category,) = {one.category for one in PAIRS if one.id == pair}
    assert edit_scope(category) == scope


def test_a_category_of_ones_own_is_local() -> None:
    assert edit_scope("tattoos") == edit_scope("") == "local"
