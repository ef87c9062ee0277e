"""Degradation curves as a figure: one panel per metric, floors behind the models."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from convergebench.analysis import CurvePoint, Results
from convergebench.analysis.headline.headline import SCORE
from convergebench.atomic_files import replacing
from convergebench.errors import WrongUse
from convergebench.report.figures.curve_panel import (
    Panel,
    draw_panels,
    legend_name,
    legend_order,
    lines_by_model,
)
from convergebench.report.figures.score_panel import chosen_panels
from convergebench.report.formatting import metric_title
from convergebench.shown_text import counted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SUFFIXES = (".png", ".svg", ".pdf")
_PANEL_INCHES = (3.7, 2.9)
_LONE_PANEL_INCHES = 5.2
_MOST_COLUMNS = 3


def plot_curves(results: Results, path: Path, metrics: Sequence[str] | None = None) -> None:
    """Draw the mean of each metric over the rounds with its 95 % interval, by default after the score; the
    suffix selects PNG, SVG or PDF.

    Metrics without any value get no panel.
    """
    if path.suffix.lower() not in SUFFIXES:
        raise WrongUse(f"cannot draw a {path.suffix or 'suffix-less'} file; use one of {', '.join(SUFFIXES)}")
    figure = curves_figure(results, metrics)
    with replacing(path) as part:
        figure.savefig(part, dpi=160)


def curves_figure(results: Results, metrics: Sequence[str] | None = None) -> Figure:
    panels = chosen_panels(results, metrics)
    if not panels:
        raise WrongUse("no values to plot yet; wait for the first return of a run, then retry")
    return _draw(results, panels)


def _draw(results: Results, panels: Sequence[Panel]) -> Figure:
    from matplotlib.figure import Figure

    names = legend_order(panels)
    columns = min(len(panels), _MOST_COLUMNS if len(panels) != 4 else 2)
    rows = math.ceil(len(panels) / columns)
    drawn = columns * _PANEL_INCHES[0] if columns > 1 else _LONE_PANEL_INCHES
    width = drawn + 0.9 + 0.085 * max(map(len, names))
    height = max(rows * _PANEL_INCHES[1] + 1.1, 0.25 * len(names) + 0.6)
    figure = Figure(figsize=(width, height), layout="constrained")
    axes = draw_panels(figure, panels, results, columns)
    title = textwrap.fill(f"{results.suite}: what is left after each round", int(drawn * 10))
    figure.suptitle(title, x=0.012, ha="left", weight="bold", fontsize=11, parse_math=False)
    lines = lines_by_model(axes)
    legend = figure.legend(
        [lines[name] for name in names],
        list(map(legend_name, names)),
        loc="outside right upper",
        frameon=False,
        fontsize=9,
        handlelength=3.2,
    )
    for text in legend.get_texts():
        text.set_parse_math(False)
    caption = textwrap.fill(curves_caption(panels), int(width * 14))
    figure.supxlabel(caption, x=0.012, ha="left", fontsize=8, color="#444444", parse_math=False)
    return figure


def curves_caption(panels: Sequence[Panel]) -> str:
    """What the curves are means of, and what is missing in them."""
    chief = panels[0]
    # A refused return has a score, 0, and no value of a metric.
    counted_panels = panels[:2] if chief.metric == SCORE else panels[:1]
    sentences = [
        "Means with 95 % intervals, by source picture; dotted grey: floors.",
        *map(_sizes, counted_panels),
        *(_infinite(panel) for panel in panels),
    ]
    return " ".join(sentence for sentence in sentences if sentence)


def _sizes(panel: Panel) -> str:
    ends = {curve.model: curve.points[-1] for curve in panel.curves}
    sizes = sorted({curve.points[-1].n for curve in panel.curves if curve.role != "floor"}) or [0]
    counted_as = "chains" if panel.metric == SCORE else "returns"
    size = str(sizes[0]) if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
    return (
        f"At the last round n = {size} {counted_as} per model ({metric_title(panel.metric)}), "
        f"{_missing(ends)}."
    )


def _missing(ends: Mapping[str, CurvePoint]) -> str:
    absent = {model: point.missing for model, point in ends.items() if point.missing}
    if not absent:
        return "none missing"
    worst = sorted(absent, key=lambda model: -absent[model])
    named = ", ".join(f"{model} {absent[model]}" for model in worst[:5])
    more = f", {counted(len(worst) - 5, 'other')}" if len(worst) > 5 else ""
    return f"missing: {named}{more}"


def _infinite(panel: Panel) -> str:
    """What the means leave out, at the round where that is most."""
    most = {curve.model: max(curve.points, key=lambda point: point.perfect) for curve in panel.curves}
    left_out = {model: point for model, point in most.items() if point.perfect}
    if not left_out:
        return ""
    counts = ", ".join(f"{model} {point.perfect} of {point.n}" for model, point in left_out.items())
    return f"{metric_title(panel.metric)} leaves out infinite values (picture unchanged), at most: {counts}."
