"""Survival as a slide: the share of chains that still have half of the picture left."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from convergebench.analysis import Ranking, Results, has_scale, ranking, share_matrices
from convergebench.analysis.round_trip.half_life import fall_times
from convergebench.analysis.statistics.survival import kaplan_meier
from convergebench.errors import WrongUse
from convergebench.report.figures.curve_panel import styles_of
from convergebench.report.figures.talk.slide import LABEL, footnote, large, short, slide
from convergebench.report.formatting import metric_title

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Steps = tuple[Sequence[float], Sequence[float]]
"""Times, and the share that is left from each on."""


def survival_slide(results: Results) -> Figure:
    ranked = ranking(results, results.chief)
    curves = dict(survival_curves(results, ranked))
    if not curves:
        raise WrongUse("no model has chains to draw survival of; choose --figure curves")
    title = metric_title(ranked.metric)
    figure = slide(f"How many chains still have half of their {title}")
    axis = figure.subplots()
    styles = styles_of(results.roles())
    for place, (name, (times, shares)) in enumerate(curves.items()):
        style = {key: value for key, value in styles[name].items() if not key.startswith("mark")}
        # Lines that lie on each other are shifted by a hair, so that each is seen.
        lift = 0.004 * place
        axis.step(
            times, [share - lift for share in shares], where="post", label=short(name),
            **{**style, "linewidth": 3.2},
        )  # fmt: skip
    axis.set_ylim(-0.03, 1.04)
    axis.set_xlim(0, results.rounds)
    axis.set_xticks(range(0, results.rounds + 1, max(1, results.rounds // 10)))
    axis.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "25 %", "50 %", "75 %", "100 %"])
    axis.axhline(0.5, color="#bbbbbb", linewidth=1.2, zorder=0)
    axis.set_xlabel("round")
    axis.set_ylabel("share of chains")
    axis.grid(axis="y", color="#e6e6e6", linewidth=1)
    large(axis)
    legend = figure.legend(loc="outside right upper", frameon=False, fontsize=LABEL, handlelength=2.2)
    for text in legend.get_texts():
        text.set_parse_math(False)
    chains = len({(item.model, item.case, item.seed) for item in results.returns})
    footnote(
        figure, f"{results.suite}, {chains} chains; Kaplan–Meier. A line that stays at the top: none fell."
    )
    return figure


def survival_curves(results: Results, ranked: Ranking) -> Iterator[tuple[str, Steps]]:
    """The Kaplan–Meier curve of each ranked model; none for a metric without a scale."""
    if not has_scale(ranked.metric):
        return
    of_models = share_matrices(results, ranked.metric.name)
    for row in ranked.rows:
        if row.rank is None:
            continue
        times, fell = fall_times(of_models[row.model].bridged)
        seen = times > 0
        if not seen.any():
            continue
        times, fell = times[seen], fell[seen]
        found = kaplan_meier(times, fell) if fell.any() else None
        at, share = (found.times, found.share) if found else (np.array([]), np.array([]))
        end, left = float(times.max()), float(share[-1]) if len(share) else 1.0
        yield row.model, ([0.0, *at, end], [1.0, *share, left])
