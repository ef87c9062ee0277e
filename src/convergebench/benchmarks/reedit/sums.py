"""RE-Edit's figures: the share of edits that pass their category's verdict, and three grades from 0 to 10."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from convergebench.analysis.judged.benchmark_scores import (
    BenchmarkRow,
    Sample,
    Scores,
    VerdictRow,
    benchmark_row,
    sample_mean,
    scores_of,
)
from convergebench.analysis.judged.pass_rate import PASSED, percent_passed
from convergebench.analysis.refinement.figures import Grade, RefinementFigures
from convergebench.analysis.statistics.clustered_mean import Interval
from convergebench.benchmarks.reedit.suite import CATEGORIES

_GRADES = (0.0, 10.0)
FIGURES = RefinementFigures(
    verdict_rubric=lambda category: f"reedit_{category}",
    grades={
        "sc": Grade("reedit_sc", "Semantic Consistency", _GRADES),
        "if": Grade("reedit_if", "Instruction Following", _GRADES),
        "pq": Grade("reedit_pq", "Perceptual Quality", _GRADES),
    },
    categories=CATEGORIES,
)
OVERALL = "OVERALL (sample mean)"
UNREAD_GRADE = 5.0


def rubrics_of(category: str) -> tuple[str, ...]:
    """The category's own verdict, and the grades that all categories have."""
    return (FIGURES.verdict_rubric(category), *FIGURES.grade_titles)


def reedit_table(suite: str, rows: Sequence[VerdictRow]) -> list[BenchmarkRow]:
    """A line for each model, metric and category, and one for all categories together."""
    table = []
    for model in dict.fromkeys(row.model for row in rows):
        own = [row for row in rows if row.model == model]
        table += _lines(model, suite, PASSED, FIGURES.passed(own), percent_passed)
        for rubric, title in FIGURES.grade_titles.items():
            table += _lines(model, suite, title, scores_of(own, rubric), _mean_grade)
    return table


def verdicts_as_published(rows: Sequence[VerdictRow]) -> list[VerdictRow]:
    """RE-Edit's own treatment of missing data: an unread verdict is a no, an unread grade is 5."""
    grades = FIGURES.grade_titles
    return [
        replace(row, value=UNREAD_GRADE if row.rubric in grades else 0.0, missing=None)
        if row.is_unread
        else row
        for row in rows
    ]


def by_category(scores: Scores) -> dict[str, dict[Sample, float | str]]:
    """In the benchmark's order; only those that have samples."""
    found: dict[str, dict[Sample, float | str]] = {}
    for category in dict.fromkeys((*CATEGORIES, *(sample.subset for sample in scores))):
        own = {sample: score for sample, score in scores.items() if sample.subset == category}
        if own:
            found[category] = own
    return found


def _mean_grade(scores: Scores) -> Interval | None:
    return sample_mean(scores, _GRADES)


def _lines(
    model: str, suite: str, metric: str, scores: Scores, mean_of: Callable[[Scores], Interval | None]
) -> list[BenchmarkRow]:
    def line(subset: str, of: Scores) -> BenchmarkRow:
        return benchmark_row(model, suite, "en", metric, subset, of, mean_of(of))

    parts = [line(category, of) for category, of in by_category(scores).items()]
    return [*parts, line(OVERALL, scores)] if parts else []
