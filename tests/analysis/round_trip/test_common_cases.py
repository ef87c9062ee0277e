from dataclasses import replace

import pytest

from convergebench.analysis import ModelUse, on_shared_cases, ranking, worst_cases
from convergebench.errors import WrongUse


def several(returned, model, pictures, value=0.5, **more):
    return [returned(model, f"p{number}", ssim=value, **more) for number in pictures]


def test_only_cases_that_every_model_has_are_kept(returned, results_of):
    results = results_of(
        *several(returned, "a", range(8)), *several(returned, "b", range(2, 9)),
        *several(returned, "floor", range(9), role="floor"),
    )  # fmt: skip
    shared = on_shared_cases(results)
    assert shared.cases == tuple(f"p{number}/hat" for number in range(2, 8))
    assert {row.n for row in ranking(shared.results).rows} == {6}
    assert not ranking(shared.results).unequal_cases


def test_time_and_cost_are_kept_where_they_are_of_the_shared_cases_alone(returned, results_of):
    uses = tuple(
        ModelUse(model, "model", count, count, count, 0, 2.0, 0.5) for model, count in (("a", 6), ("b", 7))
    )
    found = results_of(*several(returned, "a", range(6)), *several(returned, "b", range(7)))
    shared = on_shared_cases(replace(found, uses=uses))
    assert {row.model: row.cost_usd for row in ranking(shared.results).rows} == {"a": 0.5, "b": None}


def test_a_repeat_that_one_model_lacks_is_left_out_for_all(returned, results_of):
    results = results_of(
        *(one for seed in (0, 1) for one in several(returned, "a", range(6), seed=seed)),
        *several(returned, "b", range(6), seed=0), *several(returned, "b", range(3), seed=1),
    )  # fmt: skip
    shared = on_shared_cases(results)
    assert len(shared.cases) == 6
    assert {row.n for row in ranking(shared.results).rows} == {9}


def test_a_model_with_too_few_cases_is_left_out_and_named(returned, results_of):
    results = results_of(*several(returned, "a", range(8)), *several(returned, "b", range(7)),
                         *several(returned, "tiny", range(2)))  # fmt: skip
    shared = on_shared_cases(results)
    assert shared.left_out == {"tiny": 2}
    assert (len(shared.cases), shared.results.roles().keys()) == (7, {"a", "b"})


def test_the_order_can_turn_when_the_cases_are_the_same(returned, results_of):
    easy, hard = range(5), range(5, 10)
    results = results_of(
        *several(returned, "picky", easy, 0.8),
        *several(returned, "brave", easy, 0.9), *several(returned, "brave", hard, 0.2),
    )  # fmt: skip
    assert ranking(results).rows[0].model == "picky"
    assert ranking(on_shared_cases(results).results).rows[0].model == "brave"


def test_the_worst_case_comes_first_whatever_is_better(returned, results_of):
    results = results_of(
        returned("a", "p1", ssim=0.9, lpips=0.1), returned("a", "p2", ssim=0.2, lpips=0.8),
        returned("b", "p1", ssim=0.5, lpips=0.5), returned("floor", "p1", role="floor", ssim=0.0, lpips=1.0),
    )  # fmt: skip
    for metric in ("ssim", "lpips"):
        found = worst_cases(results, metric)
        assert [(one.returned.model, one.returned.case) for one in found] == [
            ("a", "p2/hat"), ("b", "p1/hat"), ("a", "p1/hat"),
        ]  # fmt: skip
        assert worst_cases(results, metric, limit=2) == found[:2]


def test_the_worst_cases_say_when_they_fell(returned, results_of):
    results = results_of(returned("a", round=1, ssim=0.6), returned("a", round=2, ssim=0.4), rounds=2)
    assert worst_cases(results)[0].fell_at == pytest.approx(1.5)
    assert worst_cases(results, threshold=0.3)[0].fell_at is None


def test_an_unknown_model_is_refused_by_name(returned, results_of):
    with pytest.raises(WrongUse, match="choose from: a"):
        worst_cases(results_of(returned("a", ssim=0.5)), models=["b"])


def test_a_model_can_be_asked_for_alone_even_a_floor(returned, results_of):
    results = results_of(returned("a", ssim=0.5), returned("floor", role="floor", ssim=0.9))
    assert [one.returned.model for one in worst_cases(results, models=["floor"])] == ["floor"]
