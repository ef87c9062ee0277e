"""The paper's charts: curves, survival, and quality against semantics."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from convergebench.analysis import Interval, Ranking, Results
from convergebench.atomic_files import replacing
from convergebench.report.figures.curve_panel import (
    Panel,
    Styles,
    draw_panel,
    draw_panels,
    legend_name,
    legend_order,
    panels_of,
    styles_of,
    tidy,
)
from convergebench.report.figures.talk.survival import survival_curves
from convergebench.report.shareable import shareable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_PANEL_HEIGHT = 1.95
_MOST_COLUMNS = 3


@dataclass(frozen=True)
class Widths:
    """The widths of a page and of a column in inches. Figures are drawn at these, so that they are not scaled
    and letters keep their size."""

    page: float
    column: float

    @classmethod
    def of(cls, template: str) -> Widths:
        return cls(6.77, 3.25) if template == "twocolumn" else cls(6.55, 6.55)


def curves_figure(results: Results, path: Path, inches: float) -> bool:
    """Every metric over the rounds; false if there is nothing to draw."""
    panels = panels_of(results, [facts.name for facts in results.headline])
    if not panels:
        return False
    columns = 2 if len(panels) in (2, 4) else min(len(panels), _MOST_COLUMNS)
    rows = math.ceil(len(panels) / columns)
    names = legend_order(panels)
    figure = _figure(inches, rows * _PANEL_HEIGHT + _legend_inches(names, inches))
    axes = draw_panels(figure, panels, results, columns, _small_panel)
    _legend(figure, axes[0], names, inches)
    return _saved(figure, path)


def survival_figure(results: Results, ranked: Ranking, path: Path, inches: float) -> bool:
    """The share of chains above the threshold over time; false if no chain of any model fell."""
    curves = dict(survival_curves(results, ranked))
    if not any(len(times) > 2 for times, _ in curves.values()):
        return False
    names = list(curves)
    figure = _figure(inches, 2.1 + _legend_inches(names, inches))
    axis = figure.subplots()
    styles = styles_of(results.roles())
    for name, (times, shares) in curves.items():
        style = {key: value for key, value in styles[name].items() if not key.startswith("mark")}
        axis.step(times, shares, where="post", label=name, **style)
    axis.set_ylim(-0.03, 1.03)
    axis.set_xlim(0, results.rounds)
    axis.axhline(0.5, color="#bbbbbb", linewidth=0.7, zorder=0)
    axis.set_xlabel("round")
    axis.set_ylabel("share of chains")
    _shrunk(axis)
    _legend(figure, axis, names, inches)
    return _saved(figure, path)


def dimensions_figure(results: Results, ranked: Ranking, path: Path, inches: float) -> bool:
    """Quality against semantics; false unless two models have both."""
    points = [
        (row.model, row.convergence.quality, row.convergence.semantic)
        for row in ranked.rows
        if row.rank is not None and row.convergence and row.convergence.quality and row.convergence.semantic
    ]
    if len(points) < 2:
        return False
    names = [name for name, _, _ in points]
    figure = _figure(inches, 2.2 + _legend_inches(names, inches))
    axis = figure.subplots()
    styles = styles_of(results.roles())
    for name, across, up in points:
        colour = styles[name]["color"]
        axis.errorbar(
            across.mean, up.mean, _reach(up), _reach(across), fmt="none", ecolor=colour, elinewidth=0.9
        )
        axis.plot(across.mean, up.mean, label=name, **{**styles[name], "linestyle": "none", "markersize": 6})
    middle = (points[0][1].mean, points[0][1].mean)
    axis.axline(middle, slope=1, color="#bbbbbb", linewidth=0.8, zorder=0)
    axis.set_xlabel("quality")
    axis.set_ylabel("semantics")
    axis.margins(0.08)
    _shrunk(axis)
    _legend(figure, axis, names, inches)
    return _saved(figure, path)


def _figure(width: float, height: float) -> Figure:
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def _small_panel(axis: Axes, panel: Panel, styles: Styles, rounds: int) -> None:
    smaller = {
        name: {
            **style,
            "linewidth": 1.1,
            **({"markersize": 3.8, "markeredgewidth": 0.7} if "marker" in style else {}),
        }
        for name, style in styles.items()
    }
    draw_panel(axis, panel, smaller, rounds)
    axis.set_title(axis.get_title(loc="left"), loc="left", fontsize=8)
    _shrunk(axis)


def _shrunk(axis: Axes) -> None:
    tidy(axis)
    axis.tick_params(labelsize=7, length=2)
    axis.xaxis.label.set_fontsize(7.5)
    axis.yaxis.label.set_fontsize(7.5)


def _legend_columns(names: Sequence[str], inches: float) -> int:
    """The number of legend columns that fit, in rows of about equal length."""
    fitting = max(1, int(inches / (0.55 + 0.062 * max(map(len, names)))))
    return math.ceil(len(names) / math.ceil(len(names) / fitting))


def _legend_inches(names: Sequence[str], inches: float) -> float:
    return 0.12 + 0.16 * math.ceil(len(names) / _legend_columns(names, inches))


def _legend(figure: Figure, axis: Axes, names: Sequence[str], inches: float) -> None:
    lines = {str(line.get_label()): line for line in axis.get_lines()}
    legend = figure.legend(
        [lines[name] for name in names],
        [legend_name(shareable(name)) for name in names],
        loc="outside lower center",
        ncols=_legend_columns(names, inches),
        frameon=False,
        fontsize=7.5,
        handlelength=3.2,
        columnspacing=1.4,
        labelspacing=0.3,
    )
    _plain(legend)


def _plain(legend: Any) -> None:
    """Names are shown verbatim, including dollar signs."""
    for text in legend.get_texts():
        text.set_parse_math(False)


def _reach(interval: Interval) -> list[list[float]] | None:
    if interval.low is None or interval.high is None:
        return None
    return [[max(interval.mean - interval.low, 0.0)], [max(interval.high - interval.mean, 0.0)]]


def _saved(figure: Figure, path: Path) -> bool:
    """The same results give the same file."""
    with replacing(path) as part:
        figure.savefig(part, metadata={"CreationDate": None})
    return True
