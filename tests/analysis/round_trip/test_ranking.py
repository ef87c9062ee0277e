import math
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from convergebench.analysis import ModelUse, ranking
from convergebench.errors import WrongUse
from convergebench.types import MetricFacts


def order(ranked):
    return [(row.rank, row.model) for row in ranked.rows]


def test_models_come_best_first_and_floors_last_without_a_rank(returned, results_of):
    results = results_of(
        returned("floor", role="floor", ssim=0.99),
        returned("worse", ssim=0.4),
        returned("better", ssim=0.7),
        returned("probe", role="probe", ssim=0.6),
    )
    assert order(ranking(results)) == [(1, "better"), (2, "probe"), (3, "worse"), (None, "floor")]


def test_where_lower_is_better_the_lowest_wins(returned, results_of):
    results = results_of(returned("a", lpips=0.5), returned("b", lpips=0.1))
    assert order(ranking(results, "lpips")) == [(1, "b"), (2, "a")]


def test_equal_means_share_a_rank(returned, results_of):
    results = results_of(returned("a", ssim=0.5), returned("b", ssim=0.5), returned("c", ssim=0.1))
    assert [row.rank for row in ranking(results).rows] == [1, 1, 3]


def test_unchanged_pictures_rank_above_any_finite_psnr(returned, results_of):
    results = results_of(returned("a", psnr=60.0), returned("still", psnr=math.inf))
    assert order(ranking(results, "psnr")) == [(1, "still"), (2, "a")]


def test_a_model_without_values_has_no_rank_and_is_not_dropped(returned, results_of, refused):
    results = results_of(returned("a", ssim=0.5), troubles=(refused("never", 1),))
    ranked = ranking(results)
    assert order(ranked) == [(1, "a"), (None, "never")]
    never = ranked.rows[1]
    assert (never.n, never.missing, never.metrics["ssim"].mean) == (0, 1, None)
    assert never.failures == {"refused": 1}


def test_a_metric_missing_everywhere_gives_its_reason(returned, results_of):
    ranked = ranking(
        results_of(returned("a", ssim=0.5, lpips="no weights"), returned("b", ssim=0.4, lpips=0.2))
    )
    assert ranked.rows[0].metrics["lpips"].reason == "no weights"
    assert ranked.rows[1].metrics["lpips"].reason is None
    assert ranked.rows[0].metrics["psnr"].reason == "not measured yet"


def test_unequal_sets_of_cases_are_flagged_with_the_shared_count(returned, results_of):
    results = results_of(
        returned("a", "p1", ssim=0.5),
        returned("a", "p2", ssim=0.5),
        returned("b", "p1", ssim=0.4),
        returned("b", "p3", ssim=0.4),
    )
    ranked = ranking(results)
    assert (ranked.unequal_cases, ranked.shared_cases) == (True, 1)


def test_a_repeat_that_one_model_lacks_makes_the_sets_unequal(returned, results_of):
    both = [returned(model, "p1", ssim=0.5) for model in "ab"]
    ranked = ranking(results_of(*both, returned("a", "p1", seed=1, ssim=0.5)))
    assert (ranked.unequal_cases, ranked.shared_cases) == (True, 1)


def test_drift_either_way_does_not_cancel_out_in_the_ranking(returned, results_of):
    shift = MetricFacts("shift_x", "1", "nearest", 0.0, math.inf, "drift", "px")
    results = results_of(
        *(returned("wobbles", f"p{number}", shift_x=8.0 * (-1) ** number) for number in range(4)),
        *(returned("leans", f"p{number}", shift_x=1.0) for number in range(4)),
    )
    ranked = ranking(replace(results, metrics=(*results.metrics, shift)), "shift_x")
    assert [row.model for row in ranked.rows] == ["leans", "wobbles"]


def test_a_missing_value_makes_the_sets_unequal(returned, results_of):
    both = [returned(model, "p1", ssim=0.5) for model in "ab"]
    assert not ranking(results_of(*both)).unequal_cases
    assert ranking(
        results_of(*both, returned("a", "p2", ssim=0.5), returned("b", "p2", ssim="too small"))
    ).unequal_cases


def test_the_last_round_counts_unless_another_is_asked_for(returned, results_of):
    results = results_of(
        returned("a", round=1, ssim=0.9), returned("a", round=2, ssim=0.1),
        returned("b", round=1, ssim=0.8), returned("b", round=2, ssim=0.7), rounds=2,
    )  # fmt: skip
    assert order(ranking(results)) == [(1, "b"), (2, "a")]
    assert order(ranking(results, round=1)) == [(1, "a"), (2, "b")]
    with pytest.raises(WrongUse, match="from 1 to 2"):
        ranking(results, round=3)


def test_speed_and_cost_stand_beside_and_unknown_stays_unknown(returned, results_of):
    use = ModelUse("a", "model", 1, 1, 2, 0, mean_seconds=7.2, cost_usd=None)
    row, other = ranking(results_of(returned("a", ssim=0.5), returned("b", ssim=0.4), uses=(use,))).rows
    assert (row.mean_seconds, row.cost_usd) == (7.2, None)
    assert (other.mean_seconds, other.cost_usd) == (None, None)


def test_the_interval_clusters_by_source_picture(returned, results_of):
    results = results_of(
        *(returned("a", f"p{number % 3}", pair=f"pair{number}", ssim=number / 10) for number in range(9))
    )
    finite = ranking(results).rows[0].metrics["ssim"].finite
    assert (finite.n, finite.clusters) == (9, 3)
    assert finite.low < finite.mean < finite.high


@given(st.permutations(range(6)))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_the_ranking_does_not_depend_on_the_order_of_returns(returned, results_of, places):
    results = results_of(*(returned(f"m{place % 3}", f"p{place}", ssim=place / 10) for place in places))
    assert order(ranking(results)) == [(1, "m2"), (2, "m1"), (3, "m0")]
