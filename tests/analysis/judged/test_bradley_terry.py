from __future__ import annotations

import math
import random
from dataclasses import replace
from itertools import combinations

import pytest

from convergebench.analysis.judged.bradley_terry import (
    Comparison,
    Winner,
    bradley_terry,
    order_swapped,
    wins_and_ties,
)
from convergebench.analysis.judged.pairwise_summary import PairwiseVerdicts, pairwise_summaries


def simulated(strengths: dict[str, float], tie_weight: float, each: int, seed: int = 0) -> list[Comparison]:
    rng = random.Random(seed)
    found = []
    for first, second in combinations(strengths, 2):
        a, b = math.exp(strengths[first]), math.exp(strengths[second])
        weights = [a, b, tie_weight * math.sqrt(a * b)]
        outcomes: list[Winner] = rng.choices(["first", "second", "tie"], weights, k=each)
        found += [Comparison(first, second, outcome) for outcome in outcomes]
    return found


@pytest.mark.parametrize("tie_weight", [0.0, 0.8])
def test_strengths_and_ties_are_recovered_from_simulated_comparisons(tie_weight: float) -> None:
    truth = {"a": 1.2, "b": 0.3, "c": -0.4, "d": -1.1}
    fitted = bradley_terry(simulated(truth, tie_weight, each=4000))
    assert [one.model for one in fitted.models] == ["a", "b", "c", "d"]
    for one in fitted.models:
        assert one.value == pytest.approx(truth[one.model], abs=0.06)
        assert one.low - 0.03 < truth[one.model] < one.high + 0.03
    assert fitted.tie_weight == pytest.approx(tie_weight, abs=0.05)


def test_two_models_without_ties_have_the_logarithm_of_their_odds_between_them() -> None:
    compared = [Comparison("a", "b", "first")] * 30 + [Comparison("a", "b", "second")] * 10
    better, worse = bradley_terry(compared).models
    assert (better.model, better.comparisons) == ("a", 40)
    assert better.value - worse.value == pytest.approx(math.log(3), abs=1e-6)
    # The odds' logarithm has the variance 1/30 + 1/10; each model's value is half of it.
    assert better.high - better.value == pytest.approx(1.959964 * math.sqrt(1 / 30 + 1 / 10) / 2, rel=1e-4)


def of_pictures(compared: list[Comparison]) -> list[Comparison]:
    return [replace(one, cluster=f"picture {number}") for number, one in enumerate(compared)]


def test_asking_ten_times_about_the_same_pictures_makes_nothing_surer() -> None:
    once = of_pictures(simulated({"a": 0.5, "b": 0.0, "c": -0.5}, tie_weight=0.5, each=40))
    first, again = bradley_terry(once), bradley_terry(once * 10)
    for one, other in zip(first.models, again.models, strict=True):
        assert (other.low, other.high) == pytest.approx((one.low, one.high), abs=1e-6)


def test_where_no_two_share_a_picture_clustering_changes_little() -> None:
    compared = simulated({"a": 0.4, "b": -0.4}, tie_weight=0.5, each=2000)
    for plain, clustered in zip(
        bradley_terry(compared).models, bradley_terry(of_pictures(compared)).models, strict=True
    ):
        assert clustered.value == plain.value
        assert clustered.high - clustered.low == pytest.approx(plain.high - plain.low, rel=0.05)


def test_intervals_are_wider_where_all_verdicts_on_a_picture_agree() -> None:
    verdicts: list[Winner] = ["first", "first", "second", "first"]
    compared = [
        Comparison("a", "b", verdict, f"picture {number}")
        for number, verdict in enumerate(verdicts)
        for _ in range(25)
    ]
    plain = bradley_terry([replace(one, cluster="") for one in compared]).models[0]
    clustered = bradley_terry(compared).models[0]
    assert clustered.high - clustered.low > 4 * (plain.high - plain.low)


def test_between_two_models_ties_move_the_tie_weight_and_not_the_strengths() -> None:
    wins = [Comparison("a", "b", "first")] * 6 + [Comparison("a", "b", "second")] * 3
    without, many = bradley_terry(wins), bradley_terry(wins + [Comparison("b", "a", "tie")] * 100)
    assert many.models[0].value == pytest.approx(without.models[0].value)
    assert many.tie_weight == pytest.approx(100 / math.sqrt(6 * 3))


def test_nothing_but_ties_ranks_nobody_and_it_says_so() -> None:
    fitted = bradley_terry([Comparison("a", "b", "tie")] * 5)
    assert (fitted.models, fitted.missing) == ((), "every comparison is a tie")


def test_models_that_were_never_beaten_have_no_finite_strength_and_it_says_so() -> None:
    fitted = bradley_terry([Comparison("a", "b", "first"), Comparison("b", "c", "tie")])
    assert fitted.models == ()
    assert "never" in str(fitted.missing)


@pytest.mark.parametrize(
    "outcomes",
    [
        [("a", "b", "first"), ("a", "b", "tie")],
        [("a", "b", "first"), ("b", "c", "tie"), ("c", "a", "tie")],
        [("a", "b", "first"), ("a", "b", "tie"), ("b", "c", "first"), ("b", "c", "tie")],
    ],
)
def test_ties_do_not_make_a_strength_finite_where_nobody_lost_in_return(
    outcomes: list[tuple[str, str, Winner]],
) -> None:
    fitted = bradley_terry([Comparison(*one) for one in outcomes] * 10)
    assert fitted.models == () and "never" in str(fitted.missing)


@pytest.mark.parametrize(
    "outcomes",
    [
        [("a", "b", "first"), ("a", "b", "tie"), ("b", "a", "first")],
        [("a", "b", "first"), ("b", "c", "first"), ("c", "a", "tie")],
        [("a", "b", "first"), ("b", "c", "first"), ("c", "a", "first"), ("a", "b", "tie")],
    ],
)
def test_one_tie_or_loss_against_the_order_makes_strengths_finite(
    outcomes: list[tuple[str, str, Winner]],
) -> None:
    fitted = bradley_terry([Comparison(*one) for one in outcomes])
    assert fitted.missing is None and all(abs(one.value) < 5 for one in fitted.models)


@pytest.mark.parametrize(
    ("shown", "swapped", "winner", "consistent"),
    [
        ("first", "second", "first", True),
        ("second", "first", "second", True),
        ("tie", "tie", "tie", True),
        ("first", "first", "tie", False),
        ("second", "tie", "tie", False),
    ],
)
def test_a_preference_counts_only_if_it_survives_the_other_order(
    shown: Winner, swapped: Winner, winner: Winner, consistent: bool
) -> None:
    found = order_swapped("a", "b", shown, swapped)
    assert found.comparison == Comparison("a", "b", winner)
    assert found.consistent == consistent


def test_the_table_of_wins_does_not_depend_on_who_stands_first() -> None:
    compared = [Comparison("a", "b", "first"), Comparison("b", "a", "first"), Comparison("b", "a", "tie")]
    assert wins_and_ties(compared) == {("a", "b"): (1, 1, 1)}


def test_comparisons_are_summed_up_by_rubric_with_ties_disagreements_and_what_is_missing() -> None:
    def asked(shown: Winner | None, swapped: Winner | None, rubric: str = "edit") -> PairwiseVerdicts:
        return PairwiseVerdicts(rubric, "a", "b", shown, swapped)

    edits, returns = pairwise_summaries(
        [
            *[asked("first", "second")] * 3,
            asked("second", "first"),
            asked("tie", "tie"),
            *[asked("first", "first")] * 2,
            asked("first", None),
            asked(None, None, "return"),
        ]
    )
    assert (edits.rubric, edits.n, edits.missing, edits.ties, edits.order_disagreements) == (
        "edit",
        7,
        1,
        3,
        2,
    )
    assert edits.wins == {("a", "b"): (3, 3, 1)}
    better, worse = edits.strengths.models
    assert better.value - worse.value == pytest.approx(math.log(3))
    assert (returns.n, returns.missing, returns.strengths.models) == (0, 1, ())
    assert returns.strengths.missing == "nothing was compared"
