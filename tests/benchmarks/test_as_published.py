"""Each benchmark's own treatment of missing data, against small references written from what is published."""

from __future__ import annotations

import pytest

from convergebench.analysis.judged.benchmark_scores import VerdictRow, with_published_figures
from convergebench.benchmarks.reedit.sums import reedit_table
from convergebench.benchmarks.reedit.sums import verdicts_as_published as reedit_as_published
from convergebench.benchmarks.wiseedit.as_published import verdicts_as_published as wiseedit_as_published
from convergebench.benchmarks.wiseedit.sums import METRICS, category_of, wiseedit_table

Grades = dict[tuple[str, str, str], dict[str, int]]
"""By subset, idx and language; a grade of 0 is a failed one, as upstream writes it."""


def reference_wiseedit(
    grades: Grades, rows: dict[str, list[str]], absent: set[str]
) -> dict[tuple[str, str], float]:
    """The overall of a language, and a category's average in it, with failed rows dropped in both languages
    and absent subsets at the lowest grade."""
    found: dict[tuple[str, str], float] = {}
    for language in ("en", "cn"):
        for category, metrics in METRICS.items():
            means = []
            for metric in metrics:
                values: list[float] = []
                for subset, names in rows.items():
                    if category_of(subset) != category:
                        continue
                    if subset in absent:
                        values += [1.0] * len(names)
                        continue
                    values += [
                        grades[subset, idx, language][metric] for idx in names
                        if all(grades[subset, idx, one][m] for one in ("en", "cn") for m in metrics)
                    ]  # fmt: skip
                mean = sum(values) / len(values)
                means.append(round(max((mean - 1) / 9 * 100, 0), 1))
            found[language, category] = sum(means) / len(means)
        found[language, "overall"] = sum(found[language, one] for one in list(METRICS)[:3]) / 3
    return found


def test_wiseedit_drops_failed_rows_in_both_languages_and_counts_absent_subsets_as_zero() -> None:
    rows = {"Awareness_1": ["1", "2", "3"], "Awareness_2": ["1", "2"], "Interpretation_1": ["1", "2"],
            "Imagination_1": ["1"], "WiseEdit_Complex_2": ["1"]}  # fmt: skip
    absent = {"Awareness_2"}
    grades: Grades = {}
    for place, (subset, idx) in enumerate((subset, idx) for subset, names in rows.items() for idx in names):
        for shift, language in enumerate(("en", "cn")):
            names = METRICS[category_of(subset)]
            grades[subset, idx, language] = {
                metric: 1 + (3 * place + 2 * n + shift) % 10 for n, metric in enumerate(names)
            }
    grades["Awareness_1", "2", "cn"]["VQ"] = 0
    verdicts = [
        VerdictRow(
            "m", f"{subset}/{language}/{idx}", subset, language, f"{subset} {idx}",
            f"wiseedit_{metric.lower()}",
            None if subset in absent or not grade else grade,
            "no picture: none" if subset in absent else None if grade else "verdict unparseable",
        )
        for (subset, idx, language), found in grades.items()
        for metric, grade in found.items()
    ]  # fmt: skip
    honest = wiseedit_table("wiseedit", verdicts)
    table = with_published_figures(honest, wiseedit_table("wiseedit", wiseedit_as_published(verdicts)))
    averages = {(row.language, row.subset): row for row in table if row.metric == "AVG"}
    for place, wanted in reference_wiseedit(grades, rows, absent).items():
        figure = averages[place].as_published
        assert figure is not None
        assert figure.score == pytest.approx(wanted, abs=1e-12)
    awareness = averages["en", "Awareness"]
    assert awareness.as_published is not None
    assert (awareness.n, awareness.missing, awareness.as_published.n) == (3, 2, 4)


def test_wiseedit_in_one_language_has_no_published_figure() -> None:
    verdicts = [
        VerdictRow("m", "Awareness_1/en/1", "Awareness_1", "en", "p", f"wiseedit_{name}", 8.0)
        for name in ("dp", "if", "vq", "kf")
    ]
    table = wiseedit_table("wiseedit", verdicts)
    for row in with_published_figures(table, wiseedit_table("wiseedit", wiseedit_as_published(verdicts))):
        assert row.as_published is not None
        assert (row.as_published.score, row.as_published.n) == (None, 0)


def test_reedit_counts_an_unread_verdict_as_no_and_an_unread_grade_as_five() -> None:
    verdicts = [
        VerdictRow("m", case, "causal", "en", case, rubric, value, why)
        for case, rubric, value, why in [
            ("a", "reedit_causal", 1.0, None), ("a", "reedit_if", 9.0, None),
            ("b", "reedit_causal", None, "verdict unparseable"),
            ("b", "reedit_if", None, "verdict truncated"),
            ("c", "reedit_causal", None, "no picture: refused"),
            ("c", "reedit_if", None, "no picture: refused"),
        ]
    ]  # fmt: skip
    honest = reedit_table("reedit", verdicts)
    table = with_published_figures(honest, reedit_table("reedit", reedit_as_published(verdicts)))
    found = {
        row.metric: (row.score and row.score.mean, row.n, row.as_published)
        for row in table if row.subset == "causal"
    }  # fmt: skip
    score, n, figure = found["Passed (%)"]
    assert (score, n, figure and figure.score, figure and figure.n) == (100.0, 1, 50.0, 2)
    score, n, figure = found["Instruction Following"]
    assert (score, n, figure and figure.score, figure and figure.n) == (9.0, 1, 7.0, 2)
