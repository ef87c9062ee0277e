"""A metric that measures some rounds says nothing of others, though unchanged files have a value there."""

from __future__ import annotations

import pytest

from convergebench import metrics
from convergebench.analysis import Results, Return, degradation_curves, paired_difference, ranking
from convergebench.analysis.round_trip.missing_values import NOT_SAMPLED
from convergebench.analysis.round_trip.paired_difference import NothingShared
from convergebench.errors import WrongUse
from convergebench.types import Measurement

CHANGED = {1: 0.1, 2: 0.2, 3: 0.3, 5: 0.5}
UNCHANGED = dict.fromkeys(range(1, 6), 0.0)


def chain(model: str, picture: str, values: dict[int, float | str]) -> list[Return]:
    return [
        Return(
            model=model, role="model", case=f"{picture}/hat", picture=picture, pair="hat", kind="scene",
            category="objects", seed=0, round=round, digest=f"{model}{picture}{round}",
            values={"dists": measured(values[round])} if round in values else {},
        )
        for round in range(1, 6)
    ]  # fmt: skip


def measured(value: float | str) -> Measurement:
    return (
        Measurement("dists", "1", None, value) if isinstance(value, str) else Measurement("dists", "1", value)
    )


def results(*chains: list[Return]) -> Results:
    return Results("s@1", 5, (metrics.facts("dists"),), tuple(one for each in chains for one in each), (), ())


def means(found: Results) -> dict[str, list[float | None]]:
    return {curve.model: [one.mean for one in curve.points] for curve in degradation_curves(found, "dists")}


def test_a_curve_has_no_mean_over_those_alone_that_came_back_unchanged() -> None:
    found = results(chain("m", "p", CHANGED), chain("m", "q", UNCHANGED))
    assert means(found)["m"] == pytest.approx([0.05, 0.1, 0.15, None, 0.25])
    assert [one.missing for one in degradation_curves(found, "dists")[0].points] == [0, 0, 0, 2, 0]


def test_a_model_that_was_measured_at_every_round_has_them_all() -> None:
    found = results(chain("m", "p", CHANGED), chain("every", "p", {**CHANGED, 4: 0.4}))
    assert means(found)["every"] == pytest.approx([0.1, 0.2, 0.3, 0.4, 0.5])
    assert means(found)["m"][3] is None


def test_a_reason_why_there_is_no_value_is_a_measurement() -> None:
    found = results(
        chain("m", "p", {**CHANGED, 4: 0.4}), chain("m", "q", dict.fromkeys(range(1, 6), "no face"))
    )
    assert means(found)["m"][3] == 0.4


def test_a_reported_round_with_a_gap_is_a_mean_with_something_missing() -> None:
    found = results(chain("m", "p", CHANGED), chain("m", "q", {1: 0.3, 2: 0.4, 5: 0.7}))
    third = degradation_curves(found, "dists")[0].points[2]
    assert (third.mean, third.n, third.missing) == (0.3, 1, 1)


def test_ranking_at_such_a_round_is_refused_with_what_to_do() -> None:
    found = results(chain("m", "p", CHANGED), chain("m", "q", UNCHANGED))
    with pytest.raises(
        WrongUse, match=r"not measured at round 4 of m; choose 1, 2, 3, 5, or run .*--metric dists"
    ):
        ranking(found, "dists", 4)
    assert ranking(found, "dists", 3).rows[0].metrics["dists"].mean == pytest.approx(0.15)


def test_beside_another_metric_it_is_missing_at_such_a_round() -> None:
    returns = [*chain("m", "p", CHANGED), *chain("m", "q", UNCHANGED)]
    for one in returns:
        one.values = {**one.values, "ssim": Measurement("ssim", "1", 0.9)}
    both = Results("s@1", 5, (metrics.facts("ssim"), metrics.facts("dists")), tuple(returns), (), ())
    summary = ranking(both, "ssim", 4).rows[0].metrics["dists"]
    assert (summary.mean, summary.missing, summary.reason) == (None, 2, NOT_SAMPLED)


def test_two_models_are_not_compared_at_such_a_round() -> None:
    found = results(
        *(
            chain(model, picture, values)
            for model in "ab"
            for picture, values in (("p", CHANGED), ("q", UNCHANGED))
        )
    )
    with pytest.raises(NothingShared, match="not measured at round 4"):
        paired_difference(found, "a", "b", "dists", 4)
    assert paired_difference(found, "a", "b", "dists", 3).difference.n == 2
