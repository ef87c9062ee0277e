"""The style of curves: colours that colour-blind people can distinguish, with markers and dashes for
greyscale print."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from convergebench.analysis import Curve, CurvePoint, Results, degradation_curves, shortfall
from convergebench.analysis.round_trip.results import Role
from convergebench.report.formatting import axis_title
from convergebench.report.model_colours import colour_slots
from convergebench.shown_text import printable
from convergebench.types import MetricFacts

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# The page's palette, after Okabe and Ito's. Models also differ in marker and dash, for greyscale print; ten
# colours, nine markers and four dashes give 180 different curves.
_COLOURS = (
    "#0072b2", "#c44f00", "#00835f", "#b3508a", "#a87400",
    "#009aa8", "#3a3a3a", "#c22f3d", "#6a4fc4", "#66760a",
)  # fmt: skip
_MARKS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
_DASHES: tuple[Any, ...] = ("-", (0, (7, 1.5)), (0, (3.5, 1.2)), (0, (7, 1.3, 1.2, 1.3)))
_FLOOR_DASHES: tuple[Any, ...] = (":", (0, (1, 3)), (0, (3, 3)), (0, (1, 1)))
_FLOOR_GREYS = ("#8a8a8a", "#6a6a6a", "#a6a6a6")
_CROWD = 8

Styles = Mapping[str, dict[str, Any]]
"""By model, for Axes.plot."""


@dataclass(frozen=True)
class Panel:
    """One metric, with one curve per model."""

    metric: MetricFacts
    curves: tuple[Curve, ...]

    def is_empty(self) -> bool:
        """Whether there is nothing to draw: no value, or only infinite ones."""
        means = [point.mean for curve in self.curves for point in curve.points]
        return all(math.isnan(_drawable(mean)) for mean in means)


def panels_of(results: Results, metrics: Sequence[str]) -> list[Panel]:
    """The panels that have values."""
    panels = [Panel(results.facts(name), degradation_curves(results, name)) for name in metrics]
    return [panel for panel in panels if not panel.is_empty()]


def styles_of(roles: Mapping[str, Role]) -> Styles:
    """Models in colours with markers, every second one hollow; floors thin, grey and dotted. With all models
    of the results, a model has the colour that it has on the page."""
    slots = colour_slots(roles)
    models = [model for model, role in roles.items() if role != "floor"]
    floors = [model for model, role in roles.items() if role == "floor"]
    styles: dict[str, dict[str, Any]] = {}
    for model in models:
        place = slots[model]
        colour = _COLOURS[place % len(_COLOURS)]
        styles[model] = {
            "color": colour,
            "linestyle": _DASHES[place % len(_DASHES)],
            "linewidth": 1.6,
            "marker": _MARKS[place % len(_MARKS)],
            "markersize": 4.2,
            "markerfacecolor": "white" if place % 2 else colour,
            "markeredgecolor": colour,
            "markeredgewidth": 1.0,
            "zorder": 3,
        }
    for place, floor in enumerate(floors):
        styles[floor] = {
            "color": _FLOOR_GREYS[place % len(_FLOOR_GREYS)],
            "linestyle": _FLOOR_DASHES[place % len(_FLOOR_DASHES)],
            "linewidth": 1.4,
            "zorder": 1,
        }
    return styles


def draw_panel(axis: Axes, panel: Panel, styles: Styles, rounds: int) -> None:
    """Means with their intervals; floors have no band."""
    opacity = 0.07 if len(panel.curves) > _CROWD else 0.14
    for curve in panel.curves:
        style = styles[curve.model]
        points = drawn_points(curve, panel.metric)
        numbers = [point.round for point in points]
        axis.plot(numbers, [_drawable(point.mean) for point in points], label=curve.model, **style)
        if curve.role != "floor":
            lows = [_drawable(point.low) for point in points]
            highs = [_drawable(point.high) for point in points]
            axis.fill_between(
                numbers, lows, highs, color=style["color"], alpha=opacity, linewidth=0, zorder=2
            )
    axis.set_title(axis_title(panel.metric), loc="left", fontsize=10)
    axis.set_xlabel("round", fontsize=9)
    axis.set_xlim(1 - 0.03 * rounds, rounds + 0.03 * rounds)
    axis.set_xticks(_ticks(rounds))
    tidy(axis)


def draw_panels(
    figure: Figure,
    panels: Sequence[Panel],
    results: Results,
    columns: int,
    draw: Callable[[Axes, Panel, Styles, int], None] = draw_panel,
) -> Any:
    """The panels row by row in this many columns; returns the axes, of which those behind the last panel are
    removed from the figure."""
    styles = styles_of(results.roles())
    axes = figure.subplots(math.ceil(len(panels) / columns), columns, squeeze=False).ravel()
    for panel, axis in zip(panels, axes, strict=False):
        draw(axis, panel, styles, results.rounds)
    for unused in axes[len(panels) :]:
        unused.remove()
    return axes


def drawn_points(curve: Curve, metric: MetricFacts) -> list[CurvePoint]:
    """All points; rounds at which a metric does not measure by default leave no gap."""
    return [point for point in curve.points if point.n or not metric.is_sampled]


def tidy(axis: Axes) -> None:
    """Light horizontal lines, and no box."""
    axis.tick_params(labelsize=8, length=3, color="#999999")
    axis.grid(axis="y", color="#e6e6e6", linewidth=0.7)
    axis.set_axisbelow(True)
    axis.spines[["top", "right"]].set_visible(False)
    axis.spines[["left", "bottom"]].set_color("#999999")


def legend_order(panels: Sequence[Panel]) -> list[str]:
    """Models of the first panel from the best final value to the worst, in the order in which the curves end;
    then those that only others have; floors last."""

    def place(number: int, panel: Panel, curve: Curve) -> tuple[bool, int, bool, float]:
        mean = curve.points[-1].mean
        return (
            curve.role == "floor",
            number,
            mean is None,
            0.0 if mean is None else shortfall(mean, panel.metric),
        )

    places: dict[str, tuple[bool, int, bool, float]] = {}
    for number, panel in enumerate(panels):
        for curve in panel.curves:
            places.setdefault(curve.model, place(number, panel, curve))
    return sorted(places, key=lambda model: places[model])


def lines_by_model(axes: Iterable[Axes]) -> dict[str, Any]:
    """A model has the same line in all of them."""
    return {str(line.get_label()): line for axis in axes for line in axis.get_lines()}


def legend_name(model: str) -> str:
    """A model's name on one line of a figure."""
    return printable(" ".join(model.split()))


def _ticks(rounds: int) -> list[int]:
    """The first round and multiples of a step, at most a dozen.

    >>> _ticks(4), _ticks(20)
    ([1, 2, 3, 4], [1, 5, 10, 15, 20])
    """
    step = next((step for step in (1, 5, 10, 25, 50) if rounds / step <= 12), 100)
    return sorted({1, *range(step, rounds + 1, step)})


def _drawable(value: float | None) -> float:
    """NaN for missing or infinite values, which leaves a gap in the line."""
    return math.nan if value is None or math.isinf(value) else value
