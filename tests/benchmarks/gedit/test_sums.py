"""Figures worked out by hand, and those of a published example."""

from __future__ import annotations

from convergebench.analysis.judged.benchmark_scores import BenchmarkRow, VerdictRow
from convergebench.benchmarks.gedit.sums import gedit_table
from convergebench.judges import rubric

Grades = tuple[float, float] | None


def rows_of(case: str, subset: str, sc: Grades, pq: Grades, repeat: int = 0) -> list[VerdictRow]:
    """A sample with its grades as the judge gives them; None is a verdict that is missing."""
    return [
        VerdictRow("m", case, subset, "en", f"picture of {case}", name, value_of(name, grades),
                   None if grades else "verdict unparseable", repeat=repeat)
        for name, grades in (("gedit_sc", sc), ("gedit_pq", pq))
    ]  # fmt: skip


def value_of(name: str, grades: Grades) -> float | None:
    if grades is None:
        return None
    chosen = rubric(name)
    return chosen.value_of(dict(zip((one.name for one in chosen.ask), grades, strict=True)))


def figures(rows: list[VerdictRow]) -> dict[tuple[str, str], tuple[float | None, int, int]]:
    def rounded(row: BenchmarkRow) -> float | None:
        return round(row.score.mean, 4) if row.score else None

    return {
        (row.metric, row.subset): (rounded(row), row.n, row.missing) for row in gedit_table("gedit", rows)
    }


def test_a_mini_suite_worked_out_by_hand() -> None:
    rows = [
        *rows_of("a1", "color_alter", (9, 8), (10, 2)),  # SC 8, PQ 2, Overall √16 = 4
        *rows_of("a2", "color_alter", (4, 6), (9, 9)),  # SC 4, PQ 9, Overall √36 = 6
        *rows_of("a3", "color_alter", None, (5, 7)),  # SC missing, PQ 5, no Overall
        *rows_of("b1", "text_change", (1, 10), (9, 10)),  # SC 1, PQ 9, Overall √9 = 3
    ]
    assert figures(rows) == {
        ("Semantic Consistency", "color_alter"): (6.0, 2, 1),
        ("Semantic Consistency", "text_change"): (1.0, 1, 0),
        ("Semantic Consistency", "OVERALL (sample mean)"): (4.3333, 3, 1),
        ("Semantic Consistency", "OVERALL (macro mean)"): (3.5, 3, 1),
        ("Perceptual Quality", "color_alter"): (5.3333, 3, 0),
        ("Perceptual Quality", "text_change"): (9.0, 1, 0),
        ("Perceptual Quality", "OVERALL (sample mean)"): (6.25, 4, 0),
        ("Perceptual Quality", "OVERALL (macro mean)"): (7.1667, 4, 0),
        ("Overall", "color_alter"): (5.0, 2, 1),
        ("Overall", "text_change"): (3.0, 1, 0),
        ("Overall", "OVERALL (sample mean)"): (4.3333, 3, 1),
        ("Overall", "OVERALL (macro mean)"): (4.0, 3, 1),
    }


def test_the_published_example_of_two_samples() -> None:
    rows = [
        *rows_of("one", "color_alter", (8, 8), (8, 8)),
        *rows_of("two", "material_alter", (2, 2), (8, 8)),
    ]
    found = figures(rows)
    assert found["Semantic Consistency", "OVERALL (sample mean)"] == (5.0, 2, 0)
    assert found["Perceptual Quality", "OVERALL (sample mean)"] == (8.0, 2, 0)
    assert found["Overall", "OVERALL (sample mean)"] == (6.0, 2, 0)


def test_a_judged_zero_counts_and_a_missing_verdict_does_not() -> None:
    rows = [
        *rows_of("a", "color_alter", (0, 9), (4, 4)),
        *rows_of("b", "color_alter", None, None),
        *rows_of("c", "color_alter", (4, 4), (4, 4)),
    ]
    assert figures(rows)["Overall", "color_alter"] == (2.0, 2, 1)


def test_a_subset_without_any_verdict_leaves_the_macro_mean_missing_and_the_sample_mean_over_the_rest() -> (
    None
):
    rows = [*rows_of("a", "color_alter", (6, 6), (6, 6)), *rows_of("b", "text_change", None, None)]
    found = figures(rows)
    assert found["Overall", "text_change"] == (None, 0, 1)
    assert found["Overall", "OVERALL (macro mean)"] == (None, 1, 1)
    assert found["Overall", "OVERALL (sample mean)"] == (6.0, 1, 1)


def test_missing_verdicts_keep_their_reason() -> None:
    rows = [*rows_of("a", "color_alter", None, (5, 5)), *rows_of("b", "color_alter", (5, 5), (5, 5))]
    overall = [row for row in gedit_table("gedit", rows) if row.metric == "Overall"]
    assert [row.reasons for row in overall] == [{"verdict unparseable": 1}] * 3


def test_overall_is_taken_of_each_repeat_that_has_both_verdicts() -> None:
    rows = [
        *rows_of("a", "color_alter", (9, 9), (1, 1)),  # 3
        *rows_of("a", "color_alter", (4, 4), (9, 9), repeat=1),  # 6
        *rows_of("a", "color_alter", (4, 4), None, repeat=2),  # none
    ]
    assert figures(rows)["Overall", "color_alter"] == (4.5, 1, 0)


def test_models_and_languages_are_kept_apart() -> None:
    row = VerdictRow("m", "a", "color_alter", "en", "p", "gedit_sc", 5.0)
    other = VerdictRow("n", "a", "color_alter", "cn", "p", "gedit_sc", 9.0)
    scores = {
        (line.model, line.language): line.score.mean
        for line in gedit_table("gedit", [row, other])
        if line.metric == "Semantic Consistency" and line.score
    }
    assert scores == {("m", "en"): 5.0, ("n", "cn"): 9.0}


def test_intervals_stay_between_0_and_10() -> None:
    rows = [
        *rows_of("a1", "color_alter", (9, 9), (10, 10)),
        *rows_of("a2", "color_alter", (1, 1), (0, 0)),
        *rows_of("b1", "text_change", (10, 10), (10, 10)),
        *rows_of("b2", "text_change", (2, 2), (0, 0)),
    ]
    ends = [(row.score.low, row.score.high) for row in gedit_table("gedit", rows) if row.score]
    assert (0.0, 10.0) in ends
    assert all(low is not None and high is not None and 0 <= low <= high <= 10 for low, high in ends)
