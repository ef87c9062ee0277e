"""The worked examples are Krippendorff's own (2011, Computing Krippendorff's Alpha-Reliability)."""

from __future__ import annotations

from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convergebench.analysis.judged.agreement import krippendorff_alpha, spread

N = None
FOUR_OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, N, N, N],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, N, 3],
    [N, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, N],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, N],
]
TWO_OBSERVERS = [[0, 1, 0, 0, 0, 0, 0, 0, 1, 0], [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]]


def by_subject(observers: list[list[int | None]]) -> list[list[float | None]]:
    return [list(values) for values in zip(*observers, strict=True)]


@pytest.mark.parametrize(("level", "expected"), [("nominal", 0.743), ("interval", 0.849)])
def test_alpha_equals_the_textbook_with_four_observers_and_missing_values(
    level: Literal["nominal", "interval"], expected: float
) -> None:
    found = krippendorff_alpha(by_subject(FOUR_OBSERVERS), level)
    assert found.alpha == pytest.approx(expected, abs=5e-4)
    assert (found.subjects, found.values) == (11, 40)  # the twelfth unit has one value only


def test_alpha_equals_the_textbook_with_two_observers_and_two_answers() -> None:
    assert krippendorff_alpha(by_subject(TWO_OBSERVERS), "nominal").alpha == pytest.approx(0.095, abs=5e-4)  # type: ignore[arg-type]


def test_alpha_of_values_that_never_differ_is_missing_with_its_reason() -> None:
    found = krippendorff_alpha([[7, 7], [7, 7]], "interval")
    assert found.alpha is None
    assert "equal" in str(found.missing)


@pytest.mark.parametrize("grade", [11 / 3, 0.7])
def test_alpha_of_means_that_never_differ_is_missing_though_their_sum_is_rounded(grade: float) -> None:
    for subjects in range(2, 8):
        for repeats in range(2, 6):
            assert krippendorff_alpha([[grade] * repeats] * subjects, "interval").alpha is None


def test_alpha_without_a_second_value_anywhere_is_missing_with_its_reason() -> None:
    found = krippendorff_alpha([[7, None], [3]], "interval")
    assert (found.alpha, found.missing) == (None, "no subject has two values")


scores = st.lists(st.lists(st.integers(0, 10), min_size=2, max_size=4), min_size=2, max_size=8)


@given(scores, st.integers(-5, 5), st.sampled_from([2.0, 0.5]))
def test_interval_alpha_does_not_change_when_every_score_is_moved_and_scaled(
    rows: list[list[int]], shift: int, scale: float
) -> None:
    before = krippendorff_alpha(rows, "interval").alpha
    after = krippendorff_alpha([[scale * v + shift for v in row] for row in rows], "interval").alpha
    assert after == (None if before is None else pytest.approx(before, abs=1e-9))


@given(scores)
def test_alpha_is_one_exactly_when_every_subject_is_agreed_on(rows: list[list[int]]) -> None:
    found = krippendorff_alpha(rows, "nominal").alpha
    agreed = all(len(set(row)) == 1 for row in rows)
    assert (found is None or found == pytest.approx(1)) == agreed


def test_spread_is_the_deviation_within_subjects_pooled() -> None:
    found = spread([[1, 3], [5, 5, 5], [9, None]])
    assert found is not None
    assert (found.subjects, found.widest) == (2, 2)
    assert found.standard_deviation == pytest.approx((2 / 3) ** 0.5)  # (1 + 1 + 0) / (1 + 2)


def test_spread_without_repeats_is_none() -> None:
    assert spread([[1], [2, None]]) is None
