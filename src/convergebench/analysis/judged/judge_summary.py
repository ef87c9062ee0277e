"""Summary of verdicts: model by rubric, for each suite separately. Missing verdicts are counted, never
averaged."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from convergebench.analysis.judged.agreement import Agreement, Spread, krippendorff_alpha, spread
from convergebench.analysis.statistics.clustered_mean import UNBOUNDED, Interval, Scale, mean_of_grades


@dataclass(frozen=True)
class JudgedScore:
    """One verdict on one picture of one model: its value, or the kind of missing value."""

    model: str
    rubric: str
    subject: str
    """The judged subject; repeats share it."""
    cluster: str
    repeat: int
    value: float | None
    missing: str | None = None
    suite: str = ""
    possible: Scale = UNBOUNDED
    """The range of the rubric's values."""


@dataclass(frozen=True)
class JudgedRow:
    model: str
    rubric: str
    n: int
    """Subjects with at least one value."""
    missing: int
    """Subjects without any."""
    kinds: Mapping[str, int]
    """Counts every missing verdict, each repeat separately."""
    mean: Interval | None
    """The mean over subjects, each with the mean of its repeats; None if there is no value."""
    agreement: Agreement
    """Agreement of the judge with itself over repeats. For yes and no, the interval alpha equals the nominal
    one."""
    spread: Spread | None
    """Between repeats; None if there are none."""
    suite: str = ""


def judge_summary(scores: Iterable[JudgedScore]) -> list[JudgedRow]:
    """One row for each suite, model and rubric, in order of appearance."""
    grouped: defaultdict[tuple[str, str, str], list[JudgedScore]] = defaultdict(list)
    for score in scores:
        grouped[score.suite, score.model, score.rubric].append(score)
    return [_row(*key, group) for key, group in grouped.items()]


def _row(suite: str, model: str, rubric: str, scores: Sequence[JudgedScore]) -> JudgedRow:
    values: defaultdict[str, list[float]] = defaultdict(list)
    cluster = {score.subject: score.cluster for score in scores}
    for score in scores:
        if score.value is not None:
            values[score.subject].append(score.value)
    kinds = Counter(score.missing or "not judged" for score in scores if score.value is None)
    means = np.array([np.mean(repeats) for repeats in values.values()])
    pictures = [cluster[subject] for subject in values]
    mean = mean_of_grades(means, pictures, scores[0].possible) if values else None
    repeats = list(values.values())
    return JudgedRow(
        model, rubric, len(values), len(cluster) - len(values), dict(kinds), mean,
        krippendorff_alpha(repeats, "interval"), spread(repeats), suite,
    )  # fmt: skip
