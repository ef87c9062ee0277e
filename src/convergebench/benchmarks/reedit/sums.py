"""RE-Edit's figures: the share of edits that pass their category's verdict, and three grades from 0 to 10."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from convergebench.analysis.judged.benchmark_scores import (
    BenchmarkRow,
    Sample,
    Scores,
    VerdictRow,
    present,
    reasons_of,
    sample_mean,
    scores_of,
)
from convergebench.analysis.statistics.clustered_mean import Interval
from convergebench.analysis.statistics.proportions import percentage
from convergebench.benchmarks.reedit.suite import CATEGORIES

GRADES = {
    "reedit_sc": "Semantic Consistency",
    "reedit_if": "Instruction Following",
    "reedit_pq": "Perceptual Quality",
}
PASSED = "Passed (%)"
OVERALL = "OVERALL (sample mean)"


def rubrics_of(category: str) -> tuple[str, ...]:
    """The category's own verdict, and the grades that all categories have."""
    return (_verdict_of(category), *GRADES)


def reedit_table(suite: str, rows: Sequence[VerdictRow]) -> list[BenchmarkRow]:
    """A line for each model, metric and category, and one for all categories together."""
    table = []
    for model in dict.fromkeys(row.model for row in rows):
        own = [row for row in rows if row.model == model]
        table += _lines(model, suite, PASSED, passed(own), percent_passed)
        for rubric, title in GRADES.items():
            table += _lines(model, suite, title, scores_of(own, rubric), sample_mean)
    return table


def passed(rows: Sequence[VerdictRow]) -> dict[Sample, float | str]:
    """Of each sample 1 if it passes its category's verdict and 0 if not, or why there is none.

    Of several repeats more than half must say yes: doubt means no.
    """
    own = [replace(row, rubric=PASSED) for row in rows if row.rubric == _verdict_of(row.subset)]
    return {
        sample: score if isinstance(score, str) else float(score > 0.5)
        for sample, score in scores_of(own, PASSED).items()
    }


def percent_passed(scores: Scores) -> Interval | None:
    there = present(scores)
    return percentage([score > 0 for score in there.values()], [sample.picture for sample in there])


def by_category(scores: Scores) -> dict[str, dict[Sample, float | str]]:
    """In the benchmark's order; only those that have samples."""
    found: dict[str, dict[Sample, float | str]] = {}
    for category in dict.fromkeys((*CATEGORIES, *(sample.subset for sample in scores))):
        own = {sample: score for sample, score in scores.items() if sample.subset == category}
        if own:
            found[category] = own
    return found


def _verdict_of(category: str) -> str:
    return f"reedit_{category}"


def _lines(
    model: str, suite: str, metric: str, scores: Scores, mean_of: Callable[[Scores], Interval | None]
) -> list[BenchmarkRow]:
    def line(subset: str, of: Scores) -> BenchmarkRow:
        reasons = reasons_of(of)
        missing = sum(reasons.values())
        return BenchmarkRow(
            model, suite, "en", metric, subset, len(of) - missing, missing, mean_of(of), reasons
        )

    parts = [line(category, of) for category, of in by_category(scores).items()]
    return [*parts, line(OVERALL, scores)] if parts else []
