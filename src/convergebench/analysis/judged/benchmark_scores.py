"""Verdicts on single edits, and benchmark scores from them: means, with missing verdicts counted
separately."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from convergebench.analysis.statistics.clustered_mean import (
    ROUNDING,
    UNBOUNDED,
    Interval,
    Scale,
    mean_of_grades,
)
from convergebench.analysis.statistics.confidence import CONFIDENCE, student_quantile

NO_VERDICT = "verdict "
"""How a reason begins where the judge was asked and no verdict could be read."""
NO_SUBSET = ""
"""The subset of a sample of which it is not known: it is missing in what is over all subsets."""


@dataclass(frozen=True)
class VerdictRow:
    """One verdict on one edit, or the reason why it is missing."""

    model: str
    case: str
    subset: str
    language: str
    picture: str
    """The source's id: verdicts on edits of one source are not independent of each other."""
    rubric: str
    value: float | None
    missing: str | None = None
    seed: int = 0
    repeat: int = 0
    part: str = ""
    """A part of the suite that has figures of its own, such as GEdit-Bench's intersection."""

    @property
    def sample(self) -> Sample:
        return Sample(self.model, self.case, self.subset, self.language, self.picture, self.seed, self.part)

    @property
    def is_unread(self) -> bool:
        """Whether there is a picture and the judge was asked about it, but no verdict could be read."""
        return self.value is None and (self.missing or "").startswith(NO_VERDICT)


@dataclass(frozen=True)
class Sample:
    """One judged edit, with all rubrics and repeats."""

    model: str
    case: str
    subset: str
    language: str
    picture: str
    seed: int
    part: str = ""


@dataclass(frozen=True)
class PublishedFigure:
    """A figure by the benchmark's own treatment of missing data."""

    score: float | None
    n: int
    """Samples in it, those with values that the treatment put in place of missing ones too."""


@dataclass(frozen=True)
class BenchmarkRow:
    """One row of a benchmark's table."""

    model: str
    suite: str
    language: str
    metric: str
    subset: str
    n: int
    """Samples with a score."""
    missing: int
    """Samples without a score."""
    score: Interval | None
    """None if it cannot be computed; `reasons` say why."""
    reasons: Mapping[str, int] = field(default_factory=dict)
    judge: str = ""
    wording: str = ""
    """Whose words the judge was asked in: this package's own if empty, else published-… or custom-DIGEST."""
    as_published: PublishedFigure | None = None
    """None unless it was asked for."""
    lacking: Mapping[Sample, str] = field(default_factory=dict)
    """The samples without a score, with their reasons: several rows of a table may lack the same one."""

    @property
    def figure(self) -> tuple[str, str, str, str]:
        """Which figure of which model this is."""
        return self.model, self.language, self.metric, self.subset


Scores = Mapping[Sample, float | str]
"""For each sample, its score or the reason why it has none."""


def scores_of(rows: Iterable[VerdictRow], rubric: str) -> dict[Sample, float | str]:
    """Each sample's mean over its repeats. A sample without any value has the first reason."""
    values: dict[Sample, list[float]] = {}
    reasons: dict[Sample, str] = {}
    for row in rows:
        if row.rubric != rubric:
            continue
        of_sample = values.setdefault(row.sample, [])
        if row.value is None:
            reasons.setdefault(row.sample, row.missing or "not judged")
        else:
            of_sample.append(row.value)
    return {
        sample: math.fsum(found) / len(found) if found else reasons[sample]
        for sample, found in values.items()
    }


def with_published_figures(
    rows: Sequence[BenchmarkRow], published: Sequence[BenchmarkRow]
) -> list[BenchmarkRow]:
    """The rows, each beside the same figure of a table with the benchmark's own treatment of missing data."""
    by_figure = {row.figure: row for row in published}
    found = []
    for row in rows:
        other = by_figure.get(row.figure)
        figure = (
            PublishedFigure(other.score.mean if other.score else None, other.n)
            if other
            else PublishedFigure(None, 0)
        )
        found.append(replace(row, as_published=figure))
    return found


def present(scores: Scores) -> dict[Sample, float]:
    return {sample: score for sample, score in scores.items() if not isinstance(score, str)}


def reasons_of(scores: Scores) -> dict[str, int]:
    """The reasons for missing scores with their counts, the most frequent first."""
    return dict(Counter(score for score in scores.values() if isinstance(score, str)).most_common())


def benchmark_row(
    model: str, suite: str, language: str, metric: str, subset: str, scores: Scores, score: Interval | None
) -> BenchmarkRow:
    """A row over these samples."""
    lacking = {sample: found for sample, found in scores.items() if isinstance(found, str)}
    there = len(scores) - len(lacking)
    return BenchmarkRow(
        model, suite, language, metric, subset, there, len(lacking), score, reasons_of(scores),
        lacking=lacking,
    )  # fmt: skip


def sample_mean(scores: Scores, possible: Scale = UNBOUNDED) -> Interval | None:
    """The mean over samples with a score, with an interval from resampling source pictures."""
    there = present(scores)
    if not there:
        return None
    pictures = [sample.picture for sample in there]
    return mean_of_grades(np.array(list(there.values())), pictures, possible)


def mean_of_means(groups: Sequence[Scores], possible: Scale = UNBOUNDED) -> Interval | None:
    """The unweighted mean of the groups' means; None if a group has no score, since the mean would then be
    incomplete.

    The interval is Student's, from a standard error clustered by source picture. There is no interval if a
    group has a single score, whose variation is unknown, if the scores of every group are equal, or if all
    belong to one picture.
    """
    there = [present(scores) for scores in groups]
    if not there or not all(there):
        return None
    means = [math.fsum(group.values()) / len(group) for group in there]
    mean = math.fsum(means) / len(means)
    influence: defaultdict[str, float] = defaultdict(float)
    for group, of_group in zip(there, means, strict=True):
        for sample, score in group.items():
            influence[sample.picture] += (score - of_group) / len(group) / len(there)
    samples, clusters = len({sample for group in there for sample in group}), len(influence)
    is_equal = max(map(abs, influence.values())) < ROUNDING
    if clusters == 1 or min(map(len, there)) == 1 or is_equal:
        return Interval(mean, None, None, n=samples, clusters=clusters)
    error = math.sqrt(clusters / (clusters - 1) * math.fsum(part**2 for part in influence.values()))
    reach = student_quantile((1 + CONFIDENCE) / 2, clusters - 1) * error
    return Interval(mean, mean - reach, mean + reach, n=samples, clusters=clusters).within(possible)
