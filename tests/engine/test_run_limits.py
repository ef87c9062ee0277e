"""The limits of a run, as its user sets them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from convergebench.engine.run_limits import RunLimits
from convergebench.errors import WrongUse
from convergebench.judges import JudgeFacts
from convergebench.judges.base import TokenPrices
from convergebench.types import EditorFacts

FREE, UNPRICED = EditorFacts("jpeg", "1", price_usd=0.0), EditorFacts("own", "1", price_usd=None)
JUDGE = JudgeFacts("server:m", "1", "server", "m")


@pytest.mark.parametrize(
    ("limits", "sentence"),
    [
        ({"concurrency": 0}, "--concurrency must be at least 1, not 0"),
        ({"judge_concurrency": -1}, "the concurrency of the judge must be at least 1, not -1"),
        ({"per_minute": 0}, "--per-minute must be a number above 0, not 0"),
        ({"per_minute": float("inf")}, "--per-minute must be a number above 0, not inf"),
        ({"max_cost_usd": float("nan")}, "--max-cost must be a number of dollars, 0 or more, not nan"),
        ({"max_cost_usd": -1}, "--max-cost must be a number of dollars, 0 or more, not -1"),
    ],
)
def test_limits_that_cannot_hold_are_refused(limits: dict[str, float], sentence: str) -> None:
    with pytest.raises(WrongUse) as caught:
        RunLimits(**limits)  # type: ignore[arg-type]
    assert str(caught.value).startswith(sentence)


def test_what_follows_in_a_run_has_what_is_left_of_its_money() -> None:
    limits = RunLimits(judge_concurrency=3, max_cost_usd=5, max_total_usd=9)
    assert limits.after(2) == RunLimits(judge_concurrency=3, max_cost_usd=3, max_total_usd=9)
    assert limits.after(5.5).max_cost_usd == 0
    assert RunLimits().after(2) == RunLimits()


def test_without_a_limit_on_cost_prices_may_be_unknown() -> None:
    RunLimits().check_prices([UNPRICED], [JUDGE])


def test_a_limit_on_cost_needs_every_price_and_names_each_unknown_one_once() -> None:
    limits = RunLimits(max_cost_usd=1)
    limits.check_prices([FREE], [replace(JUDGE, prices=TokenPrices(1.0, 2.0))])
    with pytest.raises(WrongUse, match=r"^the price of own is unknown, so --max-cost cannot hold; leave"):
        limits.check_prices([UNPRICED, FREE, UNPRICED])
    with pytest.raises(WrongUse, match=r"the price of own, server:m is unknown.*usd_per_million_in"):
        limits.check_prices([UNPRICED], [JUDGE])
