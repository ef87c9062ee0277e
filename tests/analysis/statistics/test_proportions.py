from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest

from convergebench.analysis.statistics.clustered_mean import Interval, clustered_mean
from convergebench.analysis.statistics.proportions import percentage


@pytest.mark.parametrize("count", [2, 5, 40, 1000])
@pytest.mark.parametrize("answer", [True, False])
def test_equal_answers_have_clopper_and_pearsons_interval(answer: bool, count: int) -> None:
    found = percentage([answer] * count, [str(number) for number in range(count)])
    exact = binomtest(count if answer else 0, count).proportion_ci(0.95, "exact")
    assert found is not None
    assert (found.low, found.high) == pytest.approx((100 * exact.low, 100 * exact.high))


def test_equal_answers_on_few_pictures_count_as_so_many_trials() -> None:
    many, few = (percentage([False] * 12, list(names)) for names in ("abcdefghijkl", "aaaabbbbcccc"))
    assert many is not None and few is not None and few.high is not None and many.high is not None
    assert few.high > many.high


def test_mixed_answers_have_the_interval_of_a_mean_by_picture() -> None:
    answers, pictures = [True, False, True, True, False, False], list("aabbcc")
    plain = clustered_mean(100 * np.array(answers, float), pictures, possible=(0.0, 100.0))
    assert percentage(answers, pictures) == plain


def test_no_answer_has_no_share_and_one_picture_no_interval() -> None:
    assert percentage([], []) is None
    assert percentage([True, True], ["a", "a"]) == Interval(100.0, None, None, 2, 1)
