from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from convergebench.analysis.judged.benchmark_scores import (
    Sample,
    VerdictRow,
    mean_of_means,
    sample_mean,
    scores_of,
)


def sample(number: int, picture: str | None = None) -> Sample:
    return Sample("m", f"c{number}", "s", "en", picture or f"p{number}", 0)


def verdict(case: str, value: float | None, missing: str | None = None, repeat: int = 0) -> VerdictRow:
    return VerdictRow("m", case, "s", "en", case, "r", value, missing, repeat=repeat)


@given(st.lists(st.floats(0, 10), min_size=3, max_size=30, unique=True))
def test_one_group_of_single_pictures_has_students_interval(values: list[float]) -> None:
    found = mean_of_means([{sample(n): value for n, value in enumerate(values)}])
    low, high = stats.t.interval(0.95, len(values) - 1, sum(values) / len(values), stats.sem(values))
    assert found is not None and found.low is not None and found.high is not None
    assert math.isclose(found.mean, sum(values) / len(values), abs_tol=1e-9)
    # the quantile's series is within one percent
    assert found.high - found.low == pytest.approx(high - low, rel=0.02, abs=1e-9)


@given(st.lists(st.tuples(st.floats(0, 10), st.floats(0, 10)), min_size=1, max_size=20))
def test_groups_of_equal_size_have_the_sample_mean(pairs: list[tuple[float, float]]) -> None:
    one = {sample(n): first for n, (first, _) in enumerate(pairs)}
    two = {sample(100 + n): second for n, (_, second) in enumerate(pairs)}
    macro, together = mean_of_means([one, two]), sample_mean({**one, **two})
    assert macro is not None and together is not None
    assert math.isclose(macro.mean, together.mean, abs_tol=1e-9)


def test_pictures_shared_by_groups_widen_the_interval_if_they_move_together() -> None:
    values = [1.0, 4.0, 6.0, 9.0]
    apart = mean_of_means([{sample(n + k): v for n, v in enumerate(values)} for k in (0, 10)])
    shared = mean_of_means([{sample(n + k, f"p{n}"): v for n, v in enumerate(values)} for k in (0, 10)])
    assert apart and shared and apart.low is not None and shared.low is not None
    assert apart.mean == shared.mean
    assert apart.low > shared.low


def test_a_group_without_a_score_leaves_no_mean_of_means() -> None:
    assert mean_of_means([{sample(1): 5.0}, {sample(2): "refused"}]) is None
    assert mean_of_means([]) is None


def test_a_group_of_one_gives_a_mean_without_an_interval() -> None:
    found = mean_of_means([{sample(1): 2.0, sample(2): 4.0}, {sample(3): 9.0}])
    assert found is not None
    assert (found.mean, found.low, found.high, found.n) == (6.0, None, None, 3)


def test_a_sample_is_the_mean_of_those_repeats_that_have_a_value() -> None:
    rows = [verdict("a", 4.0), verdict("a", None, "truncated", 1), verdict("a", 8.0, repeat=2)]
    assert list(scores_of(rows, "r").values()) == [6.0]


def test_a_sample_without_any_value_has_its_reason() -> None:
    rows = [verdict("a", None, "refused"), verdict("a", None, "truncated", 1), verdict("b", 0.0)]
    assert list(scores_of(rows, "r").values()) == ["refused", 0.0]


@given(st.lists(st.floats(0, 10), min_size=2, max_size=30))
def test_the_interval_of_grades_stays_on_their_scale(values: list[float]) -> None:
    scores = {sample(n): value for n, value in enumerate(values)}
    for found in (sample_mean(scores, (0.0, 10.0)), mean_of_means([scores], (0.0, 10.0))):
        assert found is not None
        if found.low is not None and found.high is not None:
            assert 0 <= found.low <= found.high <= 10


@pytest.mark.parametrize("grade", [3.0, 11 / 3])
def test_equal_grades_do_not_tell_how_others_spread(grade: float) -> None:
    scores = {sample(n): grade for n in range(12)}
    for found in (sample_mean(scores), mean_of_means([scores, scores])):
        assert found is not None
        assert (found.mean, found.low, found.high) == (pytest.approx(grade), None, None)
