"""Agreement of metrics with people as a figure: overall with intervals, and by round."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from convergebench.analysis.votes.metric_agreement import Ceiling, PredictorAgreement
from convergebench.atomic_files import replacing
from convergebench.errors import WrongUse
from convergebench.report.figures.curves import SUFFIXES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_LINES = 6


def plot_agreement(
    path: Path,
    title: str,
    overall: Sequence[PredictorAgreement],
    by_round: Mapping[int, Sequence[PredictorAgreement]],
    people: Ceiling,
) -> None:
    """Draw pairwise accuracy against people, as PNG, SVG or PDF by suffix."""
    from matplotlib.figure import Figure

    if path.suffix.lower() not in SUFFIXES:
        raise WrongUse(f"cannot draw a {path.suffix or 'suffix-less'} file; use one of {', '.join(SUFFIXES)}")
    known = [one for one in overall if one.accuracy is not None]
    if not known:
        raise WrongUse("too few votes to draw; collect more with convergebench vote")
    has_rounds = len(by_round) > 1
    figure = Figure(figsize=(11 if has_rounds else 6.5, 0.3 * len(known) + 1.8), layout="constrained")
    axes = figure.subplots(1, 2 if has_rounds else 1, squeeze=False)[0]
    _draw_overall(axes[0], known, people)
    if has_rounds:
        _draw_rounds(axes[1], known[:_MOST_LINES], by_round, people)
    figure.suptitle(title, x=0.012, ha="left", weight="bold", fontsize=11, parse_math=False)
    with replacing(path) as part:
        figure.savefig(part, dpi=160)


def _draw_overall(axis: Axes, known: Sequence[PredictorAgreement], people: Ceiling) -> None:
    for place, one in enumerate(reversed(known)):
        found = one.accuracy
        assert found is not None
        if found.low is not None and found.high is not None:
            axis.plot([found.low, found.high], [place, place], color="#0072b2", lw=2, alpha=0.5)
        axis.plot([found.mean], [place], "o", color="#0072b2", ms=5)
    axis.set_yticks(range(len(known)), [one.predictor for one in reversed(known)], fontsize=9)
    for label in axis.get_yticklabels():
        label.set_parse_math(False)
    axis.axvline(0.5, color="#8a8883", lw=1, ls=":")
    axis.set_xlim(0, 1.02)
    axis.set_xlabel("share of decided votes on its side, 95 % interval", fontsize=9)
    person = people.another_person
    if person is not None:
        axis.axvline(person.mean, color="#c44f00", lw=1.2, label="another person")
        if person.low is not None and person.high is not None:
            axis.axvspan(person.low, person.high, color="#c44f00", alpha=0.12, lw=0)
        axis.legend(loc="lower left", fontsize=8, frameon=False)
    axis.spines[["top", "right"]].set_visible(False)


def _draw_rounds(
    axis: Axes,
    known: Sequence[PredictorAgreement],
    by_round: Mapping[int, Sequence[PredictorAgreement]],
    people: Ceiling,
) -> None:
    for one in known:
        points = [
            (number, found.accuracy.mean)
            for number, group in by_round.items()
            for found in group
            if found.predictor == one.predictor and found.accuracy is not None
        ]
        if points:
            axis.plot(*zip(*points, strict=True), "o-", ms=4, lw=1.6, label=one.predictor)
    axis.axhline(0.5, color="#8a8883", lw=1, ls=":")
    if people.another_person is not None:
        axis.axhline(people.another_person.mean, color="#c44f00", lw=1.2)
    axis.set_xticks(list(by_round))
    axis.set_ylim(0.3, 1.02)
    axis.set_xlabel("round", fontsize=9)
    legend = axis.legend(fontsize=8, frameon=False, loc="best")
    for text in legend.get_texts():
        text.set_parse_math(False)
    axis.spines[["top", "right"]].set_visible(False)
