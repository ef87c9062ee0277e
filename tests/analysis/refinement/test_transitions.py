"""A set of verdicts worked out by hand, and laws that hold for any."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convergebench.analysis.judged.benchmark_scores import VerdictRow
from convergebench.analysis.judged.pass_rate import PASSED
from convergebench.analysis.refinement.differences import BeforeAfter
from convergebench.analysis.refinement.transitions import (
    OVERALL,
    RefinementRow,
    Transitions,
    refinement_table,
    transitions,
)
from convergebench.analysis.statistics.clustered_mean import Interval
from convergebench.benchmarks.reedit.sums import FIGURES

Side = dict[str, float | str]
REFUSED, CUT_OFF = "no picture: refused", "verdict truncated"
# Verdicts: two improve, one is maintained, one regresses, one is unchanged; two lack a side.
PHYSICAL: dict[str, tuple[float | str, float | str]] = {
    "p1": (0, 1), "p2": (0, 1), "p3": (1, 1), "p4": (1, 0), "p5": (0, 0),
    "p6": (REFUSED, REFUSED), "p7": (1, CUT_OFF),
}  # fmt: skip
CAUSAL: dict[str, tuple[float | str, float | str]] = {"c1": (0, 0), "c2": (0, 1), "c3": (CUT_OFF, 1)}
SC: dict[str, tuple[float | str, float | str]] = {
    "p1": (2, 6), "p2": (4, 5), "p3": (8, 8), "p4": (7, 3), "p5": (1, 1),
    "p6": (REFUSED, REFUSED), "p7": (9, CUT_OFF), "c1": (3, 3), "c2": (5, 7), "c3": (6, 6),
}  # fmt: skip


def rows_of(side: int) -> list[VerdictRow]:
    rows = []
    for category, verdicts in (("physical", PHYSICAL), ("causal", CAUSAL)):
        for case, pair in verdicts.items():
            rows += [row(case, category, f"reedit_{category}", pair[side])]
            rows += [row(case, category, "reedit_sc", SC[case][side])]
    return rows


def row(case: str, category: str, rubric: str, found: float | str, repeat: int = 0) -> VerdictRow:
    value, missing = (None, found) if isinstance(found, str) else (float(found), None)
    return VerdictRow(
        "m", f"{category}/{case}", category, "en", f"picture {case}", rubric, value, missing, 0, repeat
    )


@pytest.fixture(scope="module")
def worked_out() -> dict[str, RefinementRow]:
    return {found.category: found for found in refinement_table(rows_of(0), rows_of(1), FIGURES)}


def test_every_category_has_a_row_and_all_together_one(worked_out: dict[str, RefinementRow]) -> None:
    assert list(worked_out) == ["physical", "causal", OVERALL]


@pytest.mark.parametrize(
    ("category", "counts", "rate"),
    [("physical", (2, 1, 1, 1, 2), 40.0), ("causal", (1, 0, 0, 1, 1), 50.0),
     (OVERALL, (3, 1, 1, 2, 3), 100 * 3 / 7)],
)  # fmt: skip
def test_transitions_and_improvement_rate_are_those_counted_by_hand(
    category: str, counts: tuple[int, ...], rate: float, worked_out: dict[str, RefinementRow]
) -> None:
    found = worked_out[category].transitions
    assert (found.improved, found.maintained, found.regressed, found.unchanged, found.missing) == counts
    assert found.improvement_rate == rate
    assert found.rate is not None and found.rate.mean == pytest.approx(rate)


def test_missing_verdicts_are_counted_once_with_their_side(worked_out: dict[str, RefinementRow]) -> None:
    assert worked_out[OVERALL].transitions.reasons == {
        f"primary: {REFUSED}": 1, f"refined: {CUT_OFF}": 1, f"primary: {CUT_OFF}": 1
    }  # fmt: skip


@pytest.mark.parametrize(
    ("category", "figure", "primary", "refined", "paired", "missing"),
    [
        ("physical", PASSED, (100 * 3 / 6, 6), (100 * 3 / 5, 5), (100 * 1 / 5, 5), (1, 2)),
        ("causal", PASSED, (0.0, 2), (100 * 2 / 3, 3), (100 * 1 / 2, 2), (1, 0)),
        (OVERALL, PASSED, (100 * 3 / 8, 8), (100 * 5 / 8, 8), (100 * 2 / 7, 7), (2, 2)),
        # The mean falls though no pair says so: the best primary has no refined grade.
        ("physical", "Semantic Consistency", (31 / 6, 6), (23 / 5, 5), (1 / 5, 5), (1, 2)),
        (OVERALL, "Semantic Consistency", (45 / 9, 9), (39 / 8, 8), (3 / 8, 8), (1, 2)),
    ],
)
def test_means_and_differences_are_those_worked_out_by_hand(
    category: str, figure: str, primary: tuple[float, int], refined: tuple[float, int],
    paired: tuple[float, int], missing: tuple[int, int], worked_out: dict[str, RefinementRow],
) -> None:  # fmt: skip
    def shown(mean: Interval | None) -> tuple[float, int]:
        assert mean is not None
        return mean.mean, mean.n

    found = worked_out[category].differences[figure]
    assert shown(found.primary) == pytest.approx(primary)
    assert shown(found.refined) == pytest.approx(refined)
    assert shown(found.paired) == pytest.approx(paired)
    assert shown(found.of_means)[0] == pytest.approx(refined[0] - primary[0])
    assert (found.missing_primary, found.missing_refined) == missing


def test_a_grade_that_nobody_asked_for_is_not_there(worked_out: dict[str, RefinementRow]) -> None:
    assert list(worked_out[OVERALL].differences) == [PASSED, "Semantic Consistency"]


def test_what_has_no_refined_row_at_all_is_missing_and_not_unchanged() -> None:
    *_, overall = refinement_table(rows_of(0), [], FIGURES)
    assert (overall.transitions.judged, overall.transitions.missing) == (0, 10)
    assert overall.transitions.improvement_rate is None
    assert overall.transitions.rate is None
    assert overall.differences[PASSED].paired is None


def test_of_repeats_more_than_half_must_say_yes() -> None:
    def repeats(*answers: float) -> list[VerdictRow]:
        return [row("x", "causal", "reedit_causal", answer, n) for n, answer in enumerate(answers)]

    found, _ = refinement_table(repeats(1, 0), repeats(1, 1, 0), FIGURES)
    assert found.transitions.improved == 1


def test_models_are_kept_apart() -> None:
    (before,) = [row("x", "causal", "reedit_causal", 0.0)]
    other = VerdictRow("n", *list(vars(before).values())[1:])
    table = refinement_table([before, other], [before], FIGURES)
    assert [(found.model, found.transitions.unchanged) for found in table if found.category == OVERALL] == [
        ("m", 1), ("n", 0)
    ]  # fmt: skip


VERDICT = st.sampled_from([0.0, 1.0, "verdict refused"])


@given(st.lists(st.builds(BeforeAfter, st.sampled_from("abc"), VERDICT, VERDICT)))
def test_every_sample_goes_one_way_or_is_missing(samples: list[BeforeAfter]) -> None:
    found = transitions(samples)
    assert found.judged + found.missing == len(samples)
    assert sum(found.reasons.values()) == found.missing
    assert (found.improvement_rate is None) == (found.judged == 0)


@given(st.integers(0, 50), st.integers(0, 50), st.integers(0, 50), st.integers(0, 50), st.integers(0, 50))
def test_the_improvement_rate_is_that_of_the_definition(a: int, b: int, c: int, d: int, missing: int) -> None:
    found = Transitions(a, b, c, d, missing)
    assert found.improvement_rate == (100 * a / (a + b + c + d) if a + b + c + d else None)


def test_intervals_of_shares_and_grades_lie_within_what_is_possible() -> None:
    """Of two pictures one gets better, which Student's interval extends far beyond all of them."""
    verdicts = {"p1": (0, 1), "p2": (1, 1)}
    before, after = (
        [
            row(case, "physical", rubric, pair[side] * most)
            for case, pair in verdicts.items()
            for rubric, most in (("reedit_physical", 1), ("reedit_sc", 10))
        ]
        for side in (0, 1)
    )
    (physical, _) = refinement_table(before, after, FIGURES)
    for title, most in ((PASSED, 100), ("Semantic Consistency", 10)):
        found = physical.differences[title]
        assert found.primary is not None and found.paired is not None
        assert (found.primary.low, found.primary.high) == (0, most)
        assert (found.paired.low, found.paired.high) == (-most, most)
