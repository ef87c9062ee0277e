from __future__ import annotations

from dataclasses import replace

import pytest

from convergebench.analysis.judged.judge_summary import JudgedScore, judge_summary


def score(subject: str, value: float | None, repeat: int = 0, missing: str | None = None) -> JudgedScore:
    return JudgedScore("m", "r@1", subject, cluster=subject[0], repeat=repeat, value=value, missing=missing)


def test_what_is_missing_is_counted_and_never_averaged() -> None:
    scores = [score("a1", 8.0), score("b1", None, missing="refused"), score("c1", 4.0), score("d1", None)]
    (row,) = judge_summary(scores)
    assert (row.n, row.missing, row.kinds) == (2, 2, {"refused": 1, "not judged": 1})
    assert row.mean is not None
    assert row.mean.mean == 6.0


def test_every_subject_counts_once_however_often_it_was_judged() -> None:
    scores = [score("a1", 2.0), score("a1", 4.0, 1), score("a1", None, 2, "unparseable"), score("b1", 9.0)]
    (row,) = judge_summary(scores)
    assert row.mean is not None
    assert (row.n, row.missing, row.mean.mean) == (2, 0, 6.0)  # (3 + 9) / 2
    assert row.kinds == {"unparseable": 1}
    assert row.spread is not None
    assert row.spread.standard_deviation == pytest.approx(2**0.5)


def test_nothing_but_missing_verdicts_have_no_mean() -> None:
    (row,) = judge_summary([score("a1", None, missing="error")])
    assert (row.n, row.missing, row.mean, row.spread) == (0, 1, None, None)


def test_equal_verdicts_have_a_mean_and_no_interval() -> None:
    (row,) = judge_summary([score(f"{picture}1", 3.0) for picture in "abc"])
    assert row.mean is not None
    assert (row.mean.mean, row.mean.low, row.mean.high) == (3.0, None, None)


def test_one_source_picture_has_a_mean_and_no_interval() -> None:
    (row,) = judge_summary([score("a1", 3.0), score("a2", 5.0)])
    assert row.mean is not None
    assert (row.mean.mean, row.mean.low, row.mean.clusters) == (4.0, None, 1)


def test_a_share_of_yes_lies_between_none_and_all() -> None:
    answers = {"a1": 1.0, "b1": 0.0, "c1": 1.0}
    (row,) = judge_summary(replace(score(*one), possible=(0.0, 1.0)) for one in answers.items())
    assert row.mean is not None
    assert (row.mean.low, row.mean.high) == (0.0, 1.0)
