"""The effect of refinement on verdicts and grades: for the terminal, as text for files, and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from convergebench.analysis.judged.judge_reliability import JudgeHealth
from convergebench.analysis.judged.pass_rate import PASSED
from convergebench.analysis.refinement.differences import Difference
from convergebench.analysis.refinement.transitions import OVERALL, RefinementRow
from convergebench.analysis.statistics.clustered_mean import Interval
from convergebench.benchmarks.wording import wording_name
from convergebench.report.export.csv_files import Row
from convergebench.report.formatting import ABSENT, number
from convergebench.report.tables.ranking import json_interval
from convergebench.report.tables.terminal_table import INTERVALS, fitted, terminal_table
from convergebench.report.tables.text_table import TextTable
from convergebench.shown_text import counted

if TYPE_CHECKING:
    from rich.table import Table

_SHORT = {"Semantic Consistency": "SC", "Instruction Following": "IF", "Perceptual Quality": "PQ"}
_WAYS = ("improved", "maintained", "regressed", "unchanged")


def figure_heading(figure: str) -> str:
    """The abbreviation of a figure that has one, or its name.

    >>> figure_heading("Semantic Consistency"), figure_heading("content")
    ('SC', 'content')
    """
    return _SHORT.get(figure, figure)


def transitions_table(rows: Sequence[RefinementRow], width: int | None = None) -> Table:
    """For the terminal; print transitions_notes(rows) under it."""
    return fitted(_terminal(transitions_text(rows)), width, ("missing", INTERVALS, "unchanged", "maintained"))


def differences_table(rows: Sequence[RefinementRow], width: int | None = None) -> Table:
    """For the terminal; transitions_notes(rows) applies to it too."""
    optional = ("missing", "difference of means", INTERVALS, "primary")
    return fitted(_terminal(differences_text(rows)), width, optional)


def transitions_text(rows: Sequence[RefinementRow], health: JudgeHealth | None = None) -> TextTable:
    """A row for each model and category; the first of two tables."""
    return TextTable(
        "transitions",
        "Transitions",
        "Verdicts from the primary to the refined picture: improved (no, then yes), maintained (yes, yes), "
        "regressed (yes, no), unchanged (no, no). The improvement rate is the share of improved among the "
        "four, in percent.",
        ("model", "category", *_WAYS, "missing", "improvement rate"),
        [_transition_cells(row) for row in rows],
        left=frozenset({0, 1}),
        notes=transitions_notes(rows, health),
    )


def differences_text(rows: Sequence[RefinementRow]) -> TextTable:
    """A row for each model, category and figure; the second of two tables."""
    return TextTable(
        "differences",
        "Primary and refined",
        "Means over what each has, with n in brackets; the refined mean less the primary mean; and the mean "
        "difference over the samples that have both. SC is semantic consistency, IF instruction following, "
        "PQ perceptual quality, each from 0 to 10.",
        ("model", "category", "figure", "primary", "refined", "difference of means", "paired difference",
         "missing"),
        [_difference_cells(row, figure) for row in rows for figure in row.differences],
        left=frozenset({0, 1, 2}),
    )  # fmt: skip


def transitions_notes(rows: Sequence[RefinementRow], health: JudgeHealth | None = None) -> list[str]:
    """Missing samples by model with reasons, the reliability of the judge, and an explanation of the
    intervals."""
    notes = []
    for row in rows:
        if row.category == OVERALL:
            notes += [
                f"{row.model}: {counted(count, 'sample')} missing: {why}"
                for why, count in Counter(row.transitions.reasons).most_common()
            ]
    if health is not None:
        notes.append(health_sentence(health))
    return [*notes, "Intervals of 95 %, clustered by source picture."]


def health_sentence(health: JudgeHealth) -> str:
    """
    >>> health_sentence(JudgeHealth(40, 2))
    'Judge: warning, 2 of 40 judgements failed (5.0 %).'
    """
    if health.failed_share is None:
        return "Judge: nothing was judged."
    share = f" ({100 * health.failed_share:.1f} %)" if health.failed else ""
    judgements = counted(health.judgements, "judgement")
    return f"Judge: {health.condition}, {health.failed} of {judgements} failed{share}."


def json_transitions(rows: Sequence[RefinementRow], health: JudgeHealth | None = None) -> dict[str, Any]:
    """Everything at full precision, for json.dumps; unavailable values are null."""
    judge = None
    if health is not None:
        judge = {**asdict(health), "failed_share": health.failed_share, "condition": health.condition}
    return {"rows": [_json_row(row) for row in rows], "judge": judge}


def csv_transitions(
    rows: Sequence[RefinementRow], as_published: Sequence[RefinementRow], judge: str, wording: str
) -> list[Row]:
    """A heading, then a line for each model, category and figure, at full precision."""
    published = {(row.model, row.category): row for row in as_published}
    head = (
        "model", "category", *_WAYS, "missing", "improvement_rate", "improvement_rate_as_published", "figure",
        "primary", "primary_n", "refined", "refined_n", "difference_of_means", "paired_difference", "judge",
        "wording",
    )  # fmt: skip
    lines: list[Row] = [head]
    for row in rows:
        found, other = row.transitions, published.get((row.model, row.category))
        counts = [getattr(found, way) for way in _WAYS]
        rate = other.transitions.improvement_rate if other else None
        for figure, one in row.differences.items():
            lines.append(
                (row.model, row.category, *counts, found.missing, found.improvement_rate, rate, figure,
                 *_mean_and_n(one.primary), *_mean_and_n(one.refined), _mean_and_n(one.of_means)[0],
                 _mean_and_n(one.paired)[0], judge, wording_name(wording))
            )  # fmt: skip
    return lines


def _mean_and_n(mean: Interval | None) -> tuple[float | None, int | None]:
    return (mean.mean, mean.n) if mean else (None, None)


def _transition_cells(row: RefinementRow) -> list[str]:
    found = row.transitions
    counts = [str(getattr(found, way)) for way in _WAYS]
    return [row.model, row.category, *counts, str(found.missing), _with_interval(found.rate, 1)]


def _difference_cells(row: RefinementRow, figure: str) -> list[str]:
    found = row.differences[figure]
    places = 1 if figure == PASSED else 2
    return [
        row.model, row.category, figure_heading(figure),
        _with_n(found.primary, places), _with_n(found.refined, places),
        _with_interval(found.of_means, places, signed=True),
        _with_interval(found.paired, places, signed=True), str(found.missing_pairs),
    ]  # fmt: skip


def _with_n(mean: Interval | None, places: int) -> str:
    return ABSENT if mean is None else f"{number(mean.mean, places)} ({mean.n})"


def _with_interval(mean: Interval | None, places: int, *, signed: bool = False) -> str:
    if mean is None:
        return ABSENT
    write = _signed if signed else number
    if mean.low is None or mean.high is None:
        return write(mean.mean, places)
    return f"{write(mean.mean, places)} [{write(mean.low, places)}, {write(mean.high, places)}]"


def _signed(value: float, places: int) -> str:
    """
    >>> _signed(1.25, 1), _signed(-0.5, 1), _signed(-0.01, 1)
    ('+1.2', '−0.5', '0.0')
    """
    rounded = round(value, places)
    sign = "" if rounded == 0 else "+" if rounded > 0 else "−"
    return f"{sign}{abs(rounded):.{places}f}"


def _terminal(text: TextTable) -> Table:
    """A single model is named in the title and needs no column."""
    models = {row[0] for row in text.rows}
    first = 1 if len(models) == 1 else 0
    table = terminal_table(f"{text.title}: {models.pop()}" if first else text.title)
    for place, heading in list(enumerate(text.headings))[first:]:
        is_words = place in text.left
        table.add_column(heading, justify="left" if is_words else "right", overflow="fold")
    parts = [tuple(row[: max(text.left)]) for row in text.rows]
    for row, part, following in zip(text.rows, parts, (*parts[1:], None), strict=True):
        table.add_row(*row[first:], end_section=following not in (None, part))
    return table


def _json_row(row: RefinementRow) -> dict[str, Any]:
    found = row.transitions
    return {
        "model": row.model,
        "category": row.category,
        **{way: getattr(found, way) for way in _WAYS},
        "judged": found.judged,
        "missing": found.missing,
        "reasons": dict(found.reasons),
        "improvement_rate": found.improvement_rate,
        "improvement_rate_interval": json_interval(found.rate),
        "differences": {figure: _json_difference(one) for figure, one in row.differences.items()},
    }


def _json_difference(found: Difference) -> dict[str, Any]:
    return {
        "primary": json_interval(found.primary),
        "refined": json_interval(found.refined),
        "of_means": json_interval(found.of_means),
        "paired": json_interval(found.paired),
        "missing_primary": found.missing_primary,
        "missing_refined": found.missing_refined,
        "missing_pairs": found.missing_pairs,
    }
