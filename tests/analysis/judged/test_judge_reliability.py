from __future__ import annotations

from convergebench.analysis.judged.judge_reliability import JudgeHealth, judge_health
from convergebench.judges import Verdict


def test_what_failed_is_counted_and_what_is_not_judged_yet_is_not() -> None:
    verdicts = [Verdict("ok", 0.0), Verdict("ok", 1.0), Verdict("truncated", missing="cut off"), None]
    assert judge_health(verdicts) == JudgeHealth(judgements=3, failed=1)


def test_a_judge_that_was_not_asked_has_no_condition() -> None:
    assert judge_health([None]).condition is None
    assert judge_health([]).failed_share is None
