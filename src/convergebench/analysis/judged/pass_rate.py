"""The share of edits that pass a yes/no verdict."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from convergebench.analysis.judged.benchmark_scores import Sample, Scores, VerdictRow, present, scores_of
from convergebench.analysis.statistics.clustered_mean import Interval
from convergebench.analysis.statistics.proportions import percentage

PASSED = "Passed (%)"
"""The name of this figure in every table."""


def passed(rows: Sequence[VerdictRow], verdict_rubric: Callable[[str], str]) -> dict[Sample, float | str]:
    """For each sample, 1 if it passes and 0 if not, or the reason why it has no verdict.

    `verdict_rubric` names the rubric that decides in a subset. Of several repeats, more than half must be
    yes.
    """
    verdicts = [replace(row, rubric=PASSED) for row in rows if row.rubric == verdict_rubric(row.subset)]
    return {
        sample: score if isinstance(score, str) else float(score > 0.5)
        for sample, score in scores_of(verdicts, PASSED).items()
    }


def percent_passed(scores: Scores) -> Interval | None:
    values = present(scores)
    return percentage([score > 0 for score in values.values()], [sample.picture for sample in values])
