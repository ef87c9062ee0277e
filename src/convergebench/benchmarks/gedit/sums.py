"""GEdit-Bench's figures: semantic consistency, perceptual quality and both together, each from 0 to 10.

The verdicts' values are SC and PQ: the rubrics take the lower of their two grades. Overall is sqrt(SC · PQ)
of each sample, then the mean over samples.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
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

RUBRICS = {"gedit_sc": "Semantic Consistency", "gedit_pq": "Perceptual Quality"}
OVERALL = "Overall"
_SCALE = (0.0, 10.0)
SAMPLE_MEAN = "OVERALL (sample mean)"
MACRO_MEAN = "OVERALL (macro mean)"
INTERSECTION = "intersection"
"""The part of the suite that all models of the publication answered; it has a second table there."""


def gedit_table(suite: str, rows: Sequence[VerdictRow]) -> list[BenchmarkRow]:
    """A line for each model, language, metric and subset, and two for all subsets together."""
    table = []
    for model, language in dict.fromkeys((row.model, row.language) for row in rows):
        own = [row for row in rows if (row.model, row.language) == (model, language)]
        for metric, scores in _metrics(own).items():
            table += _lines(model, suite, language, metric, scores)
            shared = {sample: score for sample, score in scores.items() if sample.part == INTERSECTION}
            lines = _lines(model, suite, language, metric, shared) if shared else []
            table += [replace(line, subset=f"{line.subset}, {INTERSECTION}") for line in lines]
    return table


def _metrics(rows: Sequence[VerdictRow]) -> dict[str, dict[Sample, float | str]]:
    found = {title: scores_of(rows, rubric) for rubric, title in RUBRICS.items()}
    return {**found, OVERALL: _overall(rows)}


def _overall(rows: Sequence[VerdictRow]) -> dict[Sample, float | str]:
    """A repeat counts if it has both verdicts; a sample has the mean of those."""
    by_repeat: dict[tuple[Sample, int], dict[str, VerdictRow]] = {}
    for row in rows:
        if row.rubric in RUBRICS:
            by_repeat.setdefault((row.sample, row.repeat), {})[row.rubric] = row
    roots = []
    for (sample, repeat), verdicts in by_repeat.items():
        together = _root(verdicts)
        value, reason = (None, together) if isinstance(together, str) else (together, None)
        roots.append(
            VerdictRow(sample.model, sample.case, sample.subset, sample.language, sample.picture, OVERALL,
                       value, reason, sample.seed, repeat, sample.part)
        )  # fmt: skip
    return scores_of(roots, OVERALL)


def _root(verdicts: dict[str, VerdictRow]) -> float | str:
    product = 1.0
    for rubric in RUBRICS:
        row = verdicts.get(rubric)
        if row is None:
            return "not judged"
        if row.value is None:
            return row.missing or "not judged"
        product *= row.value
    return math.sqrt(product)


def _lines(model: str, suite: str, language: str, metric: str, scores: Scores) -> list[BenchmarkRow]:
    subsets: dict[str, dict[Sample, float | str]] = {}
    for sample, score in scores.items():
        subsets.setdefault(sample.subset, {})[sample] = score

    def line(subset: str, of: Scores, score: Interval | None) -> BenchmarkRow:
        return benchmark_row(model, suite, language, metric, subset, of, score)

    return [
        *(line(subset, subsets[subset], sample_mean(subsets[subset], _SCALE)) for subset in sorted(subsets)),
        line(SAMPLE_MEAN, scores, sample_mean(scores, _SCALE)),
        line(MACRO_MEAN, scores, mean_of_means(list(subsets.values()), _SCALE)),
    ]
