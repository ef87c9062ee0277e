"""WiseEdit's figures: five metrics judged from 1 to 10, shown as points from 0 to 100.

A category's metric is the mean over all samples of its subsets in one language, scaled and rounded to one
decimal, as published. AVG is the mean of the metrics that apply to the category, a language's overall the
mean of the three categories, the complex overall the mean of both languages. Where a part of such a mean is
missing, the mean is missing too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from convergebench.analysis.judged.benchmark_scores import (
    BenchmarkRow,
    Sample,
    Scores,
    VerdictRow,
    benchmark_row,
    mean_of_means,
    sample_mean,
    scores_of,
)
from convergebench.analysis.statistics.clustered_mean import Interval

LANGUAGES = ("en", "cn")
CATEGORIES = ("Awareness", "Interpretation", "Imagination")
COMPLEX = "WiseEdit_Complex"
METRICS = {
    "Awareness": ("DP", "IF", "VQ", "KF"),
    "Interpretation": ("DP", "IF", "VQ", "KF"),
    "Imagination": ("DP", "IF", "VQ", "CF"),
    COMPLEX: ("DP", "IF", "VQ", "KF", "CF"),
}
AVERAGE = "AVG"
OVERALL = "overall"
COMPLEX_OVERALL = "complex overall"
SINGLE = " (single image)"
_BOTH = "en+cn"
_LOW, _HIGH = 1.0, 10.0
_POINTS = (0.0, 100.0)

Cell = Mapping[str, Scores]
"""The samples' points by metric, in one category and language."""


def category_of(subset: str) -> str:
    """
    >>> category_of("WiseEdit_Complex_3")
    'WiseEdit_Complex'
    """
    return subset.rpartition("_")[0]


def rubrics_of(subset: str) -> tuple[str, ...]:
    """The rubrics that apply to a subset's cases."""
    return tuple(f"wiseedit_{metric.lower()}" for metric in METRICS[category_of(subset)])


def points(grade: float) -> float:
    """From the judge's scale to 0–100.

    >>> points(1), points(5.5), points(10), points(0.5)
    (0.0, 50.0, 100.0, 0.0)
    """
    return max((grade - _LOW) / (_HIGH - _LOW) * 100, 0.0)


def wiseedit_table(suite: str, rows: Sequence[VerdictRow]) -> list[BenchmarkRow]:
    """For each model and language the categories' metrics and AVG, then the overall; then the same of the
    subsets with one input picture; last, the complex overall."""
    table: list[BenchmarkRow] = []
    for model in dict.fromkeys(row.model for row in rows):
        own = [row for row in rows if row.model == model]
        table += _of_model(model, suite, own)
    return table


def _of_model(model: str, suite: str, rows: Sequence[VerdictRow]) -> list[BenchmarkRow]:
    single = [row for row in rows if row.subset.endswith("_1")]
    languages = [language for language in LANGUAGES if any(row.language == language for row in rows)]
    table = []
    for language in languages:
        for variant, of_variant in (("", rows), (SINGLE, single)):
            cells = _cells(of_variant, language)
            for category, cell in cells.items():
                table += _category_lines(model, suite, language, category + variant, cell)
            if any(category in cells for category in CATEGORIES):
                basic = [cells.get(category, {}) for category in CATEGORIES]
                table.append(_mean_line(model, suite, language, OVERALL + variant, basic))
    complexes = [_cells(rows, language).get(COMPLEX, {}) for language in LANGUAGES]
    if any(complexes):
        table.append(_mean_line(model, suite, _BOTH, COMPLEX_OVERALL, complexes))
    return table


def _cells(rows: Sequence[VerdictRow], language: str) -> dict[str, Cell]:
    """By category, in the order of the paper; only those that have samples."""
    found: dict[str, Cell] = {}
    for category, metrics in METRICS.items():
        own = [row for row in rows if row.language == language and category_of(row.subset) == category]
        if own:
            found[category] = {metric: _scaled(own, metric) for metric in metrics}
    return found


def _scaled(rows: Sequence[VerdictRow], metric: str) -> dict[Sample, float | str]:
    """Every verdict lies within the scale, so that scaling samples or their mean comes to the same."""
    scores = scores_of(rows, f"wiseedit_{metric.lower()}")
    return {sample: score if isinstance(score, str) else points(score) for sample, score in scores.items()}


def _category_lines(model: str, suite: str, language: str, category: str, cell: Cell) -> list[BenchmarkRow]:
    lines = [
        _line(model, suite, language, metric, category, [scores], _rounded(sample_mean(scores, _POINTS)))
        for metric, scores in cell.items()
    ]
    return [*lines, _mean_line(model, suite, language, category, [cell])]


def _mean_line(model: str, suite: str, language: str, subset: str, cells: Sequence[Cell]) -> BenchmarkRow:
    """The mean of the cells' averages, each the mean of its rounded metrics."""
    metrics = [scores for cell in cells for scores in cell.values()]
    score = mean_of_means(metrics, _POINTS) if all(cells) else None
    if score is not None:
        averages = [_average(cell) for cell in cells]
        score = _moved(score, sum(averages) / len(averages))
    line = _line(model, suite, language, AVERAGE, subset, metrics, score)
    absent = sum(not cell for cell in cells)
    return replace(line, reasons={**line.reasons, "no case of a category": absent}) if absent else line


def _average(cell: Cell) -> float:
    means = [_rounded(sample_mean(scores, _POINTS)) for scores in cell.values()]
    return sum(one.mean for one in means if one is not None) / len(means)


def _line(
    model: str,
    suite: str,
    language: str,
    metric: str,
    subset: str,
    groups: Sequence[Scores],
    score: Interval | None,
) -> BenchmarkRow:
    """n counts the samples that have every score, missing those that lack one."""
    lacking = {sample: why for scores in groups for sample, why in scores.items() if isinstance(why, str)}
    together = {**{sample: found for scores in groups for sample, found in scores.items()}, **lacking}
    return benchmark_row(model, suite, language, metric, subset, together, score)


def _rounded(score: Interval | None) -> Interval | None:
    return None if score is None else replace(score, mean=round(score.mean, 1))


def _moved(score: Interval, mean: float) -> Interval:
    """The same interval around the mean of rounded figures."""
    by = mean - score.mean
    if score.low is None or score.high is None:
        return replace(score, mean=mean)
    return replace(score, mean=mean, low=score.low + by, high=score.high + by).within(_POINTS)
