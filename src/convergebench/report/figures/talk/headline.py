"""The headline as a slide: the score of each model with its interval."""

from __future__ import annotations

from typing import TYPE_CHECKING

from convergebench.analysis import Results, headline_ranking
from convergebench.errors import WrongUse
from convergebench.report.figures.curve_panel import styles_of
from convergebench.report.figures.talk.slide import LABEL, footnote, large, name_rows, slide
from convergebench.report.formatting import decimals, metric_title, number
from convergebench.shown_text import counted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_Bar = tuple[str, float, float | None, float | None, str, str]
"""Model, mean, interval, significance letters, and the number as text."""


def headline_slide(results: Results) -> Figure:
    """Scores from what a person sees, or the chief metric if that was not measured."""
    ranked = headline_ranking(results)
    bars: list[_Bar] = []
    if ranked.headline is not None:
        title = f"Score after {counted(ranked.round, 'round')} of editing and undoing"
        axis_label = "score, 0 to 100: edit done, undone, and the rest kept"
        for row in ranked.headline.rows:
            if row.score is not None:
                score = row.score
                bars.append((row.model, score.mean, score.low, score.high, row.group, f"{score.mean:.1f}"))
    else:
        metric = ranked.metric
        title = f"{metric_title(metric)} after {counted(ranked.round, 'round')} of editing and undoing"
        axis_label = f"{metric_title(metric)}, {metric.better} is better"
        for one in ranked.rows:
            found = one.metrics[metric.name].finite
            if one.rank is not None and found is not None:
                text = number(found.mean, decimals(metric))
                bars.append((one.model, found.mean, found.low, found.high, one.group, text))
    if not bars:
        raise WrongUse("no model has a score to draw; choose --figure curves")
    return _drawn(results, title, axis_label, bars, is_score=ranked.headline is not None)


def _drawn(results: Results, title: str, label: str, bars: list[_Bar], *, is_score: bool) -> Figure:
    figure = slide(title, min(7.2, 2.4 + 0.62 * len(bars)))
    axis = figure.subplots()
    styles = styles_of(results.roles())
    places = list(range(len(bars) - 1, -1, -1))
    for place, (model, mean, low, high, group, text) in zip(places, bars, strict=True):
        colour = styles[model]["color"]
        axis.barh(place, mean, height=0.55, color=colour, alpha=0.28)
        if low is not None and high is not None:
            axis.plot([low, high], [place, place], color=colour, linewidth=3, solid_capstyle="round")
        axis.plot(mean, place, marker="o", markersize=11, color=colour)
        end = max(mean, high or mean)
        axis.annotate(
            f"  {text}  {group if len(bars) > 1 else ''}", (end, place), xytext=(8, 0),
            textcoords="offset points", va="center", fontsize=LABEL, parse_math=False,
        )  # fmt: skip
    name_rows(axis, places, [bar[0] for bar in bars], [styles[bar[0]]["color"] for bar in bars])
    axis.set_xlabel(label)
    axis.set_xlim(0, 118 if is_score else 1.22 * max(max(bar[1], bar[3] or 0) for bar in bars))
    if is_score:
        axis.set_xticks([0, 20, 40, 60, 80, 100])
    axis.grid(axis="x", color="#e6e6e6", linewidth=1)
    large(axis)
    cases = len({item.case for item in results.returns})
    letters = " Models that share a letter do not differ significantly." if len(bars) > 1 else ""
    footnote(figure, f"{results.suite}, {counted(cases, 'case')}; 95 % intervals by source picture.{letters}")
    return figure
