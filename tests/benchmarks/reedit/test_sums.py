"""RE-Edit's plain table, worked out by hand."""

from __future__ import annotations

import pytest

from convergebench.analysis.judged.benchmark_scores import BenchmarkRow, VerdictRow
from convergebench.analysis.judged.pass_rate import PASSED
from convergebench.benchmarks.reedit.suite import CATEGORIES
from convergebench.benchmarks.reedit.sums import OVERALL, reedit_table, rubrics_of
from convergebench.judges import rubric


def judged(case: str, category: str, verdict: float | None, grade: float | None) -> list[VerdictRow]:
    return [
        VerdictRow("m", case, category, "en", f"picture of {case}", name, value,
                   None if value is not None else "verdict refused")
        for name, value in ((f"reedit_{category}", verdict), ("reedit_sc", grade))
    ]  # fmt: skip


ROWS = [
    *judged("a", "causal", 1, 6), *judged("b", "causal", 0, 1), *judged("c", "causal", None, 8),
    *judged("d", "physical", 0, None),
]  # fmt: skip


def line(metric: str, subset: str) -> BenchmarkRow:
    (found,) = [row for row in reedit_table("reedit", ROWS) if (row.metric, row.subset) == (metric, subset)]
    return found


@pytest.mark.parametrize(
    ("metric", "subset", "score", "n", "missing"),
    [(PASSED, "causal", 50.0, 2, 1), (PASSED, "physical", 0.0, 1, 0), (PASSED, OVERALL, 100 / 3, 3, 1),
     ("Semantic Consistency", "causal", 5.0, 3, 0), ("Semantic Consistency", OVERALL, 5.0, 3, 1)],
)  # fmt: skip
def test_shares_and_means_are_those_worked_out_by_hand(
    metric: str, subset: str, score: float, n: int, missing: int
) -> None:
    found = line(metric, subset)
    assert found.score is not None
    assert found.score.mean == pytest.approx(score)
    assert (found.n, found.missing) == (n, missing)
    assert sum(found.reasons.values()) == missing


def test_a_grade_without_a_single_value_is_missing_with_its_reason() -> None:
    found = line("Semantic Consistency", "physical")
    assert (found.score, found.n, found.reasons) == (None, 0, {"verdict refused": 1})


def test_categories_stand_in_the_benchmarks_order() -> None:
    assert [row.subset for row in reedit_table("reedit", ROWS) if row.metric == PASSED] == [
        "physical", "causal", OVERALL
    ]  # fmt: skip


@pytest.mark.parametrize("category", CATEGORIES)
def test_a_category_is_judged_by_its_own_verdict_and_the_common_grades(category: str) -> None:
    own = [rubric(name) for name in rubrics_of(category)]
    assert [one.category for one in own] == [category, "", "", ""]
