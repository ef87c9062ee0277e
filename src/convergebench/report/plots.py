"""Degradation curves as a figure: one panel a metric, floors behind the models."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from convergebench.analysis import Curve, CurvePoint, Results, degradation_curves, shortfall
from convergebench.errors import WrongUse
from convergebench.report._atomic import replacing
from convergebench.report._wording import axis_title, counted, metric_title
from convergebench.types import MetricFacts

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SUFFIXES = (".png", ".svg", ".pdf")
# Okabe and Ito's palette, which colour-blind people can tell apart. Its yellow is too pale for a line on
# white. Seven colours and nine markers give 63 different curves.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
_FLOOR_DASHES = ("--", ":", "-.", (0, (8, 2)))
_FLOOR_GREYS = ("#8a8a8a", "#6a6a6a", "#a6a6a6")
_PANEL_INCHES = (3.7, 2.9)
_LONE_PANEL_INCHES = 5.2
_MOST_COLUMNS = 3


@dataclass(frozen=True)
class _Panel:
    metric: MetricFacts
    curves: tuple[Curve, ...]

    def is_empty(self) -> bool:
        return not any(point.n for curve in self.curves for point in curve.points)


def plot_curves(results: Results, path: Path, metrics: Sequence[str] | None = None) -> None:
    """Draw the mean of each metric over the rounds with its 95 % interval, as PNG, SVG or PDF by suffix.

    Metrics without any value get no panel.
    """
    if path.suffix.lower() not in SUFFIXES:
        raise WrongUse(f"cannot draw a {path.suffix or 'nameless'} file; use one of {', '.join(SUFFIXES)}")
    names = [facts.name for facts in results.headline] if metrics is None else metrics
    panels = [_Panel(results.facts(name), degradation_curves(results, name)) for name in names]
    panels = [panel for panel in panels if not panel.is_empty()]
    if not panels:
        raise WrongUse("there are no values to draw yet; let a run make its first return, then try again")
    figure = _draw(results, panels)
    with replacing(path) as part:
        figure.savefig(part, dpi=160)


def _draw(results: Results, panels: Sequence[_Panel]) -> Figure:
    from matplotlib.figure import Figure

    names = _legend_order(panels[0])
    columns = min(len(panels), _MOST_COLUMNS if len(panels) != 4 else 2)
    rows = math.ceil(len(panels) / columns)
    drawn = columns * _PANEL_INCHES[0] if columns > 1 else _LONE_PANEL_INCHES
    width = drawn + 0.8 + 0.085 * max(map(len, names))
    height = max(rows * _PANEL_INCHES[1] + 1.1, 0.25 * len(names) + 0.6)
    figure = Figure(figsize=(width, height), layout="constrained")
    styles = _styles(panels[0].curves)
    axes = figure.subplots(rows, columns, squeeze=False).ravel()
    for panel, axis in zip(panels, axes, strict=False):
        _draw_panel(axis, panel, styles, results.rounds)
    for unused in axes[len(panels) :]:
        unused.remove()
    title = textwrap.fill(f"{results.suite}: what is left after each round", int(drawn * 10))
    figure.suptitle(title, x=0.012, ha="left", weight="bold", fontsize=11)
    lines = {str(line.get_label()): line for line in axes[0].get_lines()}
    figure.legend(
        [lines[name] for name in names], names, loc="outside right upper", frameon=False, fontsize=9
    )
    caption = textwrap.fill(_caption(panels), int(width * 14))
    figure.supxlabel(caption, x=0.012, ha="left", fontsize=8, color="#444444")
    return figure


def _draw_panel(axis: Axes, panel: _Panel, styles: Mapping[str, dict[str, Any]], rounds: int) -> None:
    is_crowded = len(panel.curves) > 8
    for curve in panel.curves:
        style = styles[curve.model]
        numbers = [point.round for point in curve.points]
        axis.plot(numbers, [_drawable(point.mean) for point in curve.points], label=curve.model, **style)
        if curve.role != "floor":
            lows = [_drawable(point.low) for point in curve.points]
            highs = [_drawable(point.high) for point in curve.points]
            opacity = 0.07 if is_crowded else 0.14
            axis.fill_between(
                numbers, lows, highs, color=style["color"], alpha=opacity, linewidth=0, zorder=2
            )
    axis.set_title(axis_title(panel.metric), loc="left", fontsize=10)
    axis.set_xlabel("round", fontsize=9)
    axis.set_xlim(1 - 0.03 * rounds, rounds + 0.03 * rounds)
    axis.set_xticks(_ticks(rounds))
    axis.tick_params(labelsize=8, length=3, color="#999999")
    axis.grid(axis="y", color="#e6e6e6", linewidth=0.7)
    axis.set_axisbelow(True)
    axis.spines[["top", "right"]].set_visible(False)
    axis.spines[["left", "bottom"]].set_color("#999999")


def _ticks(rounds: int) -> list[int]:
    """The first round and round numbers, a dozen at most.

    >>> _ticks(4), _ticks(20)
    ([1, 2, 3, 4], [1, 5, 10, 15, 20])
    """
    step = next((step for step in (1, 5, 10, 25, 50) if rounds / step <= 12), 100)
    return sorted({1, *range(step, rounds + 1, step)})


def _drawable(value: float | None) -> float:
    """NaN leaves a gap in the line: what is missing or infinite is not drawn."""
    return math.nan if value is None or math.isinf(value) else value


def _styles(curves: Sequence[Curve]) -> dict[str, dict[str, Any]]:
    models = [curve.model for curve in curves if curve.role != "floor"]
    floors = [curve.model for curve in curves if curve.role == "floor"]
    styles: dict[str, dict[str, Any]] = {
        model: {
            "color": _COLOURS[place % len(_COLOURS)],
            "marker": _MARKERS[place % len(_MARKERS)],
            "markersize": 4.5,
            "markeredgecolor": "white",
            "markeredgewidth": 0.5,
            "linewidth": 1.6,
            "zorder": 3,
        }
        for place, model in enumerate(models)
    }
    for place, floor in enumerate(floors):
        grey, dash = _FLOOR_GREYS[place % len(_FLOOR_GREYS)], _FLOOR_DASHES[place % len(_FLOOR_DASHES)]
        styles[floor] = {
            "color": grey,
            "linestyle": dash,
            "linewidth": 1.3,
            "marker": ".",
            "markersize": 3,
            "zorder": 1,
        }
    return styles


def _legend_order(panel: _Panel) -> list[str]:
    """From the best final value to the worst as the curves end, then floors."""

    def place(curve: Curve) -> tuple[bool, bool, float]:
        mean = curve.points[-1].mean
        return curve.role == "floor", mean is None, 0.0 if mean is None else shortfall(mean, panel.metric)

    return [curve.model for curve in sorted(panel.curves, key=place)]


def _caption(panels: Sequence[_Panel]) -> str:
    chief = panels[0]
    ends = {curve.model: curve.points[-1] for curve in chief.curves}
    sizes = sorted({curve.points[-1].n for curve in chief.curves if curve.role != "floor"}) or [0]
    size = str(sizes[0]) if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
    sentences = [
        "Means with 95 % intervals, resampled by source picture; dashed grey: floors.",
        f"At the last round n = {size} returns a model ({metric_title(chief.metric)}), {_missing(ends)}.",
        *(_infinite(panel) for panel in panels),
    ]
    return " ".join(sentence for sentence in sentences if sentence)


def _missing(ends: Mapping[str, CurvePoint]) -> str:
    absent = {model: point.missing for model, point in ends.items() if point.missing}
    if not absent:
        return "none missing"
    worst = sorted(absent, key=lambda model: -absent[model])
    named = ", ".join(f"{model} {absent[model]}" for model in worst[:5])
    more = f", {counted(len(worst) - 5, 'other')}" if len(worst) > 5 else ""
    return f"missing: {named}{more}"


def _infinite(panel: _Panel) -> str:
    models = [curve.model for curve in panel.curves if any(point.perfect for point in curve.points)]
    if not models:
        return ""
    return f"Infinite {metric_title(panel.metric)} (picture unchanged) is not drawn: {', '.join(models)}."
