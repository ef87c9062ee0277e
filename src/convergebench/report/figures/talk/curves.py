"""Curves as a slide: the score, and each metric, over the rounds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from convergebench.analysis import Results
from convergebench.errors import WrongUse
from convergebench.report.figures.curve_panel import draw_panel, legend_order, lines_by_model, styles_of
from convergebench.report.figures.curves import curves_caption
from convergebench.report.figures.score_panel import chosen_panels
from convergebench.report.figures.talk.slide import LABEL, SMALL, footnote, large, short, slide

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MOST_COLUMNS = 3
_LARGE_PANELS = 2
"""Up to this many panels, the letters are as large as in other slides."""


def curves_slide(results: Results, metrics: Sequence[str] | None = None) -> Figure:
    panels = chosen_panels(results, metrics)
    if not panels:
        raise WrongUse("no values to plot yet; wait for the first return of a run, then retry")
    figure = slide(f"{results.suite}: what is left after each round")
    columns = min(len(panels), _MOST_COLUMNS if len(panels) != 4 else 2)
    axes = figure.subplots(math.ceil(len(panels) / columns), columns, squeeze=False).ravel()
    styles = {name: {**style, "linewidth": 2.4} for name, style in styles_of(results.roles()).items()}
    letters = LABEL if len(panels) <= _LARGE_PANELS else SMALL
    for panel, axis in zip(panels, axes, strict=False):
        draw_panel(axis, panel, styles, results.rounds)
        large(axis, letters)
        axis.set_title(axis.get_title(loc="left"), loc="left", fontsize=letters)
    for unused in axes[len(panels) :]:
        unused.remove()
    lines = lines_by_model(axes)
    names = legend_order(panels)
    legend = figure.legend(
        [lines[name] for name in names],
        [short(name, 24) for name in names],
        loc="outside right upper",
        frameon=False,
        fontsize=SMALL,
        handlelength=2.6,
    )
    for text in legend.get_texts():
        text.set_parse_math(False)
    footnote(figure, curves_caption(panels))
    return figure
