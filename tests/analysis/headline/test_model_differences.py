"""Two models side by side, on chains written by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from analysis.headline.written_chains import NO, YES, chain, failed, measured
from convergebench.analysis import Results, Return, headline_ranking, model_differences
from convergebench.analysis.round_trip.paired_difference import NothingShared
from convergebench.types import MetricFacts

UNDID = MetricFacts("undid", "1", "higher", 1.0, 0.0, "semantic")
PICTURES = "pqrstu"
HEADLINE = ["score", "did the edit", "undid it", "kept R1", "kept R2", "usable for"]


def results(*chains: list[Return], metrics: tuple[MetricFacts, ...] = (UNDID,)) -> Results:
    return Results("suite", 2, metrics, tuple(one for each in chains for one in each), (), ())


@pytest.fixture
def both() -> Results:
    """`good` undoes everything; `poor` half, and only in the second round less than a person would take."""
    good = [chain("good", picture, (YES, 1.0, 1.0), (YES, 1.0, 1.0)) for picture in PICTURES]
    poor = [chain("poor", picture, (YES, 0.64, 1.0), (YES, 0.36, 1.0)) for picture in PICTURES]
    return results(*good, *poor)


def by_name(found: list[tuple[str, Any]]) -> dict[str, Any]:
    return {one.quantity: one for part, one in found if not part}


def test_what_a_person_sees_comes_before_metrics(both: Results) -> None:
    names = [one.quantity for _, one in model_differences(both, "good", "poor")]
    assert names == [*HEADLINE, "undid @ R2", "undid AUC"]


def test_after_one_round_each_quantity_is_compared_once(both: Results) -> None:
    one = replace(both, rounds=1, returns=tuple(item for item in both.returns if item.round == 1))
    names = [found.quantity for _, found in model_differences(one, "good", "poor")]
    assert names.count("kept R1") == 1 and len(names) == len(set(names))


def test_a_model_that_refused_everything_is_compared_by_the_score_alone(both: Results) -> None:
    refused = tuple(failed("mute", picture, 1, "refused") for picture in PICTURES)
    found = model_differences(replace(both, troubles=refused), "good", "mute")
    assert {one.quantity for _, one in found} <= set(HEADLINE)
    score = by_name(found)["score"]
    assert (score.first_mean, score.second_mean, score.verdict) == (100.0, 0.0, "good is better")


def test_models_that_share_no_last_round_are_told_which_they_share(both: Results) -> None:
    short = [chain("short", picture, (YES, 1.0, 1.0)) for picture in PICTURES]
    stopped = results(*_chains(both, "good"), *short)
    with pytest.raises(NothingShared, match="earlier rounds: add --round 1"):
        model_differences(stopped, "good", "short")


def test_the_score_and_its_parts_are_those_of_the_ranking(both: Results) -> None:
    found = by_name(model_differences(both, "poor", "good"))
    headline = headline_ranking(both).headline
    assert headline is not None
    (poor,) = (row for row in headline.rows if row.model == "poor")
    assert found["score"].first_mean == pytest.approx(poor.score.mean) == pytest.approx(70.0)
    assert found["score"].difference.mean == pytest.approx(-30.0)
    assert found["score"].verdict == "good is better"
    assert found["undid it"].first_mean == pytest.approx(poor.undid.mean)
    assert found["usable for"].first_mean == poor.usable.mean == 1.0
    assert found["did the edit"].verdict == "cannot be told apart"


def test_a_metric_or_a_round_that_is_named_is_compared_alone(both: Results) -> None:
    for named in ({"metric": "undid"}, {"round": 1}):
        names = [one.quantity for _, one in model_differences(both, "good", "poor", **named)]
        assert not set(names) & set(HEADLINE)


def test_parts_of_the_suite_are_compared_by_what_comes_first(both: Results) -> None:
    seen = model_differences(both, "good", "poor", by="category")
    assert [(part, one.quantity) for part, one in seen if part] == [("accessories", "score")]
    by_metric = model_differences(both, "good", "poor", round=1, by="category")
    assert [(part, one.quantity) for part, one in by_metric if part] == [("accessories", "undid @ R1")]


def test_a_model_that_does_not_edit_is_worse_however_well_it_keeps_the_picture(both: Results) -> None:
    idle = [chain("idle", picture, (NO, 1.0, 1.0), (NO, 1.0, 1.0)) for picture in PICTURES]
    found = by_name(model_differences(results(*idle, *_chains(both, "poor")), "idle", "poor"))
    assert found["score"].verdict == found["did the edit"].verdict == "poor is better"


def test_where_nothing_was_measured_by_region_metrics_alone_are_compared(both: Results) -> None:
    ssim = MetricFacts("ssim", "1", "higher", 1.0, 0.0, "quality")
    returns = tuple(replace(one, values={"ssim": measured("ssim", 0.9)}) for one in both.returns)
    found = model_differences(replace(both, metrics=(ssim,), returns=returns), "good", "poor")
    assert [one.quantity for _, one in found] == ["ssim @ R2", "ssim AUC"]


def _chains(of: Results, model: str) -> list[list[Return]]:
    return [[one for one in of.returns if one.model == model]]


def test_where_no_change_is_asked_for_a_refusal_does_not_decide_the_ranking(both: Results) -> None:
    refused = (failed("mute", "p", 1, "refused"),)
    assert headline_ranking(replace(both, troubles=refused)).headline is not None
    assert headline_ranking(replace(both, troubles=refused, protocol="stay")).headline is None


def test_intervals_of_differences_stay_within_what_is_possible() -> None:
    good = [chain("good", picture, (YES, 1.0, 1.0), (YES, 1.0, 1.0)) for picture in "pq"]
    mixed = [
        chain("mixed", "p", (YES, 1.0, 1.0), (YES, 1.0, 1.0)),
        chain("mixed", "q", (NO, 0.0, 0.0), (NO, 0.0, 0.0)),
    ]
    found = by_name(model_differences(results(*good, *mixed), "good", "mixed"))
    widest = {"score": 100.0, "did the edit": 1.0, "undid it": 1.0, "usable for": 2.0}
    for quantity, most in widest.items():
        interval = found[quantity].difference
        assert -most <= interval.low < interval.mean < interval.high <= most, quantity
