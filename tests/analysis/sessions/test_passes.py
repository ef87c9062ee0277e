"""The sums of MSE-Bench and EdiVal against references written from their definitions."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convergebench.analysis.sessions.passes import EDIVAL, MSE_BENCH, NOT_JUDGED, grade_curve, survival_curve
from convergebench.analysis.sessions.turns import (
    SessionResult,
    TurnResult,
    final_mean,
    mean_of_turns,
    measured,
    turn_curve,
)
from convergebench.types import Measurement

Grades = list[tuple[float, float]]


def session(number: int, turns: int) -> SessionResult:
    results = tuple(TurnResult(turn) for turn in range(1, turns + 1))
    return SessionResult("m", "model", "session", str(number), f"p{number % 7}", "", 0, number, results)


def mse_reference(all_grades: Sequence[Grades]) -> list[tuple[float, float, float, float]]:
    """Success, prompt following, consistency and overall by turn: what is graded up to the first failure,
    divided by all sessions."""
    sums = [[0.0] * 4 for _ in all_grades[0]]
    for grades in all_grades:
        for turn, (following, consistency) in enumerate(grades):
            success = following > 6 and consistency > 6
            for place, value in enumerate(
                (success, following, consistency, math.sqrt(following * consistency))
            ):
                sums[turn][place] += value
            if not success:
                break
    return [tuple(value / len(all_grades) for value in turn) for turn in sums]  # type: ignore[misc]


@given(
    st.lists(st.lists(st.tuples(*[st.floats(0, 10)] * 2), min_size=5, max_size=5), min_size=1, max_size=30)
)
def test_mse_benchs_sums_are_those_of_its_definition(all_grades: list[Grades]) -> None:
    sessions = [session(number, 5) for number in range(len(all_grades))]

    def scores(one: SessionResult, turn: int) -> Mapping[str, float]:
        following, consistency = all_grades[int(one.case)][turn - 1]
        return {"prompt_following": following, "consistency": consistency}

    success = survival_curve(sessions, scores, MSE_BENCH)
    grades = [grade_curve(sessions, scores, MSE_BENCH, one) for one in MSE_BENCH.grades.values()]
    for turn, expected in enumerate(mse_reference(all_grades)):
        found = [point.score.mean for point in (success[turn], *(one[turn] for one in grades)) if point.score]
        assert found == pytest.approx([100 * expected[0], *expected[1:]], rel=0, abs=1e-12 * 100)


@given(st.lists(st.lists(st.booleans(), min_size=3, max_size=3), min_size=1, max_size=40))
def test_edivals_success_is_the_share_of_sessions_whose_turns_all_passed(passed: list[list[bool]]) -> None:
    sessions = [session(number, 3) for number in range(len(passed))]
    found = survival_curve(
        sessions, lambda one, turn: {"followed": float(passed[int(one.case)][turn - 1])}, EDIVAL
    )
    for turn in (1, 2, 3):
        expected = sum(all(one[:turn]) for one in passed) / len(passed)
        score = found[turn - 1].score
        assert score is not None and score.mean / 100 == pytest.approx(expected, rel=0, abs=1e-12)


def test_a_missing_verdict_is_missing_and_a_failure_before_it_is_a_failure() -> None:
    said: dict[tuple[str, int], Mapping[str, float] | str] = {
        ("0", 1): {"followed": 1.0}, ("0", 2): "verdict refused", ("0", 3): {"followed": 1.0},
        ("1", 1): {"followed": 0.0}, ("1", 2): "verdict refused", ("1", 3): "verdict refused",
        ("2", 1): {"followed": 1.0}, ("2", 2): {"followed": 1.0}, ("2", 3): {"followed": 1.0},
    }  # fmt: skip
    found = survival_curve([session(n, 3) for n in range(3)], lambda one, turn: said[one.case, turn], EDIVAL)
    assert [(point.n, point.missing) for point in found] == [(3, 0), (2, 1), (2, 1)]
    assert [point.score and point.score.mean for point in found] == pytest.approx([200 / 3, 50, 50])
    assert found[2].reasons == {"verdict refused": 1}


def test_as_long_as_sessions_are_to_be_judged_there_is_no_mean_of_those_that_failed() -> None:
    said: dict[tuple[str, int], Mapping[str, float] | str] = {
        ("0", 1): {"followed": 0.0}, ("0", 2): NOT_JUDGED,
        ("1", 1): {"followed": 1.0}, ("1", 2): NOT_JUDGED,
    }  # fmt: skip
    first, second = survival_curve(
        [session(n, 2) for n in range(2)], lambda one, turn: said[one.case, turn], EDIVAL
    )
    assert first.score is not None and first.score.mean == 50
    assert (second.score, second.n, second.missing) == (None, 0, 2)


def test_survival_never_rises() -> None:
    dice = random.Random(3)
    said = {
        (str(n), turn): {"followed": float(dice.random() < 0.8)} for n in range(50) for turn in range(1, 9)
    }
    found = survival_curve([session(n, 8) for n in range(50)], lambda one, turn: said[one.case, turn], EDIVAL)
    means = [point.score.mean for point in found if point.score]
    assert len(means) == 8 and means == sorted(means, reverse=True)


def test_a_session_that_is_shorter_is_no_part_of_later_turns() -> None:
    def with_values(number: int, *values: float) -> SessionResult:
        turns = tuple(
            TurnResult(turn, {"kept": Measurement("kept", "1", value)})
            for turn, value in enumerate(values, 1)
        )
        return SessionResult("m", "model", "session", str(number), f"p{number}", "", 0, number, turns)

    sessions = [with_values(0, 1.0, 0.5), with_values(1, 0.8)]
    found = turn_curve(sessions, measured("kept"))
    assert [(point.n, point.missing, point.score and point.score.mean) for point in found] == [
        (2, 0, 0.9), (1, 0, 0.5),
    ]  # fmt: skip
    final, every = final_mean(sessions, measured("kept")), mean_of_turns(sessions, measured("kept"))
    assert final is not None and final.mean == pytest.approx((0.5 + 0.8) / 2)
    assert every is not None and every.mean == pytest.approx((1.0 + 0.5 + 0.8) / 3)
