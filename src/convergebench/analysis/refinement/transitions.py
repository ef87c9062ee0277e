"""Whether refinement improves an edit: the change of each verdict, and of the additional grades."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from convergebench.analysis.judged.benchmark_scores import Sample, Scores, VerdictRow, scores_of
from convergebench.analysis.judged.pass_rate import PASSED
from convergebench.analysis.refinement.differences import BeforeAfter, Difference, difference
from convergebench.analysis.refinement.figures import RefinementFigures
from convergebench.analysis.statistics.clustered_mean import Interval, Scale
from convergebench.analysis.statistics.proportions import percentage

Transition = Literal["improved", "maintained", "regressed", "unchanged"]
OVERALL = "OVERALL"
_NOT_JUDGED = "not judged yet"


@dataclass(frozen=True)
class Transitions:
    """Number of samples for each transition. Samples without a verdict on either side count in none of the
    four."""

    improved: int
    maintained: int
    regressed: int
    unchanged: int
    missing: int = 0
    reasons: Mapping[str, int] = field(default_factory=dict)
    """The reasons; each missing sample is counted once."""
    rate: Interval | None = None
    """The improvement rate with its interval, in percent."""

    @property
    def judged(self) -> int:
        return self.improved + self.maintained + self.regressed + self.unchanged

    @property
    def improvement_rate(self) -> float | None:
        """
        >>> Transitions(improved=3, maintained=4, regressed=2, unchanged=1, missing=5).improvement_rate
        30.0
        """
        return 100 * self.improved / self.judged if self.judged else None


@dataclass(frozen=True)
class RefinementRow:
    """The effect of refinement on one model's edits, in one category or in all."""

    model: str
    category: str
    transitions: Transitions
    differences: Mapping[str, Difference]
    """By figure: the share that passes in percent, then the available grades."""


def transition(primary: float, refined: float) -> Transition:
    """The transition from one verdict to the next; 1 is yes and 0 is no.

    >>> [transition(*pair) for pair in ((0, 1), (1, 1), (1, 0), (0, 0))]
    ['improved', 'maintained', 'regressed', 'unchanged']
    """
    if refined:
        return "maintained" if primary else "improved"
    return "regressed" if primary else "unchanged"


def transitions(samples: Sequence[BeforeAfter]) -> Transitions:
    """The transitions of samples whose figures are verdicts, 1 or 0."""
    ways: Counter[Transition] = Counter()
    reasons: Counter[str] = Counter()
    improved: list[bool] = []
    pictures: list[str] = []
    for one in samples:
        if isinstance(one.primary, str) or isinstance(one.refined, str):
            reasons[_why(one)] += 1
            continue
        way = transition(one.primary, one.refined)
        ways[way] += 1
        improved.append(way == "improved")
        pictures.append(one.picture)
    return Transitions(
        ways["improved"], ways["maintained"], ways["regressed"], ways["unchanged"],
        sum(reasons.values()), dict(reasons.most_common()), percentage(improved, pictures),
    )  # fmt: skip


def refinement_table(
    primary: Sequence[VerdictRow], refined: Sequence[VerdictRow], figures: RefinementFigures
) -> list[RefinementRow]:
    """A row for each model and category, and one for all categories together.

    Samples on both sides match if model, case and seed match. The verdicts on a refined picture are listed
    under the model of the primary one.
    """
    table = []
    for model in dict.fromkeys(row.model for row in (*primary, *refined)):
        before, after = ([row for row in rows if row.model == model] for rows in (primary, refined))
        compared = dict(_compared(before, after, figures))
        categories = figures.ordered({sample.subset for sample in compared[PASSED]})
        table += [_row(model, category, compared, figures.scales) for category in (*categories, OVERALL)]
    return table


Figure = Mapping[Sample, BeforeAfter]


def _compared(
    before: Sequence[VerdictRow], after: Sequence[VerdictRow], figures: RefinementFigures
) -> Iterator[tuple[str, Figure]]:
    """The verdicts, and the grades that were requested; every figure has every sample."""
    samples = list(dict.fromkeys(row.sample for row in (*before, *after)))
    yield PASSED, _joined(samples, figures.passed(before), figures.passed(after))
    for rubric, title in figures.grade_titles.items():
        scores = scores_of(before, rubric), scores_of(after, rubric)
        if any(scores):
            yield title, _joined(samples, *scores)


def _joined(samples: Sequence[Sample], before: Scores, after: Scores) -> Figure:
    return {
        sample: BeforeAfter(sample.picture, before.get(sample, _NOT_JUDGED), after.get(sample, _NOT_JUDGED))
        for sample in samples
    }


def _row(
    model: str, category: str, figures: Mapping[str, Figure], scales: Mapping[str, Scale]
) -> RefinementRow:
    own = {
        title: [one for sample, one in of.items() if category in (OVERALL, sample.subset)]
        for title, of in figures.items()
    }
    differences = {
        title: difference(_in_percent(samples), scales[title], _percentage)
        if title == PASSED
        else difference(samples, scales[title])
        for title, samples in own.items()
    }
    return RefinementRow(model, category, transitions(own[PASSED]), differences)


def _in_percent(samples: Sequence[BeforeAfter]) -> list[BeforeAfter]:
    def scaled(value: float | str) -> float | str:
        return value if isinstance(value, str) else 100 * value

    return [BeforeAfter(one.picture, scaled(one.primary), scaled(one.refined)) for one in samples]


def _percentage(values: Sequence[float], pictures: Sequence[str]) -> Interval | None:
    return percentage([value > 0 for value in values], pictures)


def _why(one: BeforeAfter) -> str:
    """The primary's reason comes first: without a primary picture there is no refined one either."""
    if isinstance(one.primary, str):
        return f"primary: {one.primary}"
    return f"refined: {one.refined}"
