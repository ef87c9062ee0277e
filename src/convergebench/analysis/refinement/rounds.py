"""Convergence of refinement: the findings, edits and outcome of every round."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from convergebench.analysis.judged.benchmark_scores import VerdictRow, sample_mean, scores_of
from convergebench.analysis.judged.pass_rate import PASSED, percent_passed
from convergebench.analysis.refinement.figures import RefinementFigures
from convergebench.analysis.refinement.refined_case import RefinedCase
from convergebench.analysis.statistics.clustered_mean import Interval


@dataclass(frozen=True)
class RoundRow:
    """One model's cases after one round; round 0 is the primary edit."""

    model: str
    round: int
    cases: int
    content: int
    """Cases whose reasoner requested nothing, in this round or earlier."""
    edited: int
    """Cases that were edited in this round."""
    missing: int
    """Cases without a picture after this round."""
    figures: Mapping[str, Interval | None]
    """The judges' figures for the pictures after this round: the share that passes in percent, and the
    grades."""


def rounds_table(
    cases: Sequence[RefinedCase],
    rounds: int,
    verdicts: Mapping[int, Sequence[VerdictRow]],
    figures: RefinementFigures,
) -> list[RoundRow]:
    """A row for each model and round. `verdicts` contains the verdicts on the pictures after each round."""
    return [
        _row(
            model,
            [case for case in cases if case.model == model],
            number,
            _means([row for row in verdicts.get(number, ()) if row.model == model], figures),
        )
        for model in dict.fromkeys(case.model for case in cases)
        for number in range(rounds + 1)
    ]


def _row(
    model: str, cases: Sequence[RefinedCase], number: int, means: Mapping[str, Interval | None]
) -> RoundRow:
    looks = [one for case in cases for one in case.rounds if one.number == number]
    return RoundRow(
        model,
        number,
        len(cases),
        sum(case.content_after is not None and case.content_after < number for case in cases),
        sum(not one.is_content and one.stage.picture is not None for one in looks),
        sum(case.after(number).picture is None for case in cases),
        means,
    )


def _means(rows: Sequence[VerdictRow], figures: RefinementFigures) -> dict[str, Interval | None]:
    rubrics = {row.rubric for row in rows}
    titles = figures.grade_titles
    means = {PASSED: percent_passed(figures.passed(rows))} if rubrics - set(titles) else {}
    return means | {
        title: sample_mean(scores_of(rows, rubric), figures.scales[title])
        for rubric, title in titles.items()
        if rubric in rubrics
    }
