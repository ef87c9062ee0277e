"""Figures worked out by hand."""

from __future__ import annotations

import pytest

from convergebench.analysis.judged.benchmark_scores import BenchmarkRow, VerdictRow
from convergebench.benchmarks.wiseedit.sums import points, rubrics_of, wiseedit_table


def rows_of(subset: str, language: str, case: str, **grades: float | None) -> list[VerdictRow]:
    return [
        VerdictRow("m", f"{subset}/{language}/{case}", subset, language, f"{subset} {case}",
                   f"wiseedit_{metric.lower()}", grade, None if grade else "verdict refused")
        for metric, grade in grades.items()
    ]  # fmt: skip


HAND_WORKED = [
    *rows_of("Awareness_1", "en", "1", DP=10, IF=10, VQ=10, KF=10),
    *rows_of("Awareness_2", "en", "1", DP=1, IF=4, VQ=None, KF=7),
    *rows_of("Interpretation_1", "en", "1", DP=4, IF=4, VQ=4, KF=4),
    *rows_of("Imagination_3", "en", "1", DP=1, IF=1, VQ=1, CF=10),
    *rows_of("WiseEdit_Complex_2", "en", "1", DP=10, IF=10, VQ=10, KF=10, CF=1),
    *rows_of("WiseEdit_Complex_2", "cn", "1", DP=1, IF=1, VQ=1, KF=1, CF=1),
]


def table(rows: list[VerdictRow]) -> dict[tuple[str, str, str], BenchmarkRow]:
    return {(row.language, row.subset, row.metric): row for row in wiseedit_table("wiseedit", rows)}


def score(row: BenchmarkRow) -> float | None:
    return round(row.score.mean, 4) if row.score else None


def test_a_category_pools_its_subsets_then_scales_and_rounds() -> None:
    found = table(HAND_WORKED)
    metrics = {metric: found["en", "Awareness", metric] for metric in ("DP", "IF", "VQ", "KF", "AVG")}
    # means 5.5, 7, 10 (one of two), 8.5
    assert {name: score(row) for name, row in metrics.items()} == {
        "DP": 50.0, "IF": 66.7, "VQ": 100.0, "KF": 83.3, "AVG": 75.0,
    }  # fmt: skip
    assert (metrics["VQ"].n, metrics["VQ"].missing, metrics["VQ"].reasons) == (1, 1, {"verdict refused": 1})
    assert (metrics["AVG"].n, metrics["AVG"].missing) == (1, 1)


def test_the_overall_of_a_language_is_the_mean_of_three_categories() -> None:
    found = table(HAND_WORKED)
    assert score(found["en", "Interpretation", "AVG"]) == 33.3
    assert score(found["en", "Imagination", "AVG"]) == 25.0
    assert score(found["en", "overall", "AVG"]) == pytest.approx((75.0 + 33.3 + 25.0) / 3, abs=1e-4)
    assert ("cn", "overall", "AVG") not in found


def test_the_complex_overall_is_the_mean_of_both_languages() -> None:
    found = table(HAND_WORKED)
    assert score(found["en", "WiseEdit_Complex", "AVG"]) == 80.0
    assert score(found["cn", "WiseEdit_Complex", "AVG"]) == 0.0
    assert score(found["en+cn", "complex overall", "AVG"]) == 40.0


def test_the_single_image_variant_uses_the_subsets_with_one_input() -> None:
    rows = [*HAND_WORKED, *rows_of("Imagination_1", "en", "1", DP=10, IF=10, VQ=10, CF=1)]
    found = table(rows)
    assert score(found["en", "Awareness (single image)", "AVG"]) == 100.0
    assert score(found["en", "Imagination (single image)", "AVG"]) == 75.0
    assert score(found["en", "overall (single image)", "AVG"]) == pytest.approx(
        (100 + 33.3 + 75) / 3, abs=1e-4
    )


def test_an_overall_that_lacks_a_category_is_missing_with_that_reason() -> None:
    row = table(HAND_WORKED)["en", "overall (single image)", "AVG"]
    assert row.score is None
    assert row.reasons == {"no case of a category": 1}


def test_a_language_that_was_not_judged_leaves_the_complex_overall_missing() -> None:
    row = table([row for row in HAND_WORKED if row.language == "en"])["en+cn", "complex overall", "AVG"]
    assert row.score is None


def test_an_average_that_lacks_a_metric_is_missing() -> None:
    row = table(rows_of("Awareness_1", "en", "1", DP=10, IF=10, VQ=None, KF=10))["en", "Awareness", "AVG"]
    assert (row.score, row.reasons) == (None, {"verdict refused": 1})


def test_one_language_does_not_lose_a_sample_that_only_the_other_lacks() -> None:
    rows = [
        *rows_of("Awareness_1", "en", "1", DP=7, IF=7, VQ=7, KF=7),
        *rows_of("Awareness_1", "cn", "1", DP=None, IF=7, VQ=7, KF=7),
    ]
    assert score(table(rows)["en", "Awareness", "DP"]) == 66.7


@pytest.mark.parametrize(("grade", "expected"), [(1, 0), (10, 100), (5.5, 50), (0, 0)])
def test_the_scale_runs_from_0_to_100(grade: float, expected: float) -> None:
    assert points(grade) == expected


def test_the_rubrics_are_those_that_apply_to_the_subset() -> None:
    assert rubrics_of("Imagination_4")[-1] == "wiseedit_cf"
    assert rubrics_of("Awareness_2")[-1] == "wiseedit_kf"
    assert len(rubrics_of("WiseEdit_Complex_4")) == 5


def test_intervals_stay_between_0_and_100_points() -> None:
    grades = {"1": 10.0, "2": 1.0, "3": 9.5}
    subsets = ("Awareness_1", "Interpretation_1", "Imagination_1")
    rows = [
        row
        for subset in subsets
        for case, grade in grades.items()
        for row in rows_of(subset, "en", case, **dict.fromkeys(("DP", "IF", "VQ", "KF", "CF"), grade))
    ]
    ends = [(row.score.low, row.score.high) for row in table(rows).values() if row.score]
    assert (0.0, 100.0) in ends
    assert all(low is not None and high is not None and 0 <= low <= high <= 100 for low, high in ends)
