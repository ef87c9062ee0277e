"""Drift as a slide: models down, kinds of drift across, in just noticeable amounts."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from convergebench.analysis import Results, headline_ranking
from convergebench.analysis.round_trip.drift_kinds import DRIFT_KINDS
from convergebench.analysis.round_trip.drift_profile import RoundProfile, drift_profile
from convergebench.errors import WrongUse
from convergebench.report.figures.curve_panel import styles_of
from convergebench.report.figures.talk.slide import LABEL, SMALL, footnote, name_rows, slide
from convergebench.report.formatting import ABSENT

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_DARKEST = 16.0


def drift_slide(results: Results) -> Figure:
    profiles = {}
    for row in headline_ranking(results).rows:
        if row.role != "floor" and (found := drift_profile(results, row.model)):
            profiles[row.model] = found[-1]
    if not profiles:
        raise WrongUse("drift was not measured; measure it with convergebench measure --metric drift")
    figure = slide(
        f"In which way pictures decay by round {results.rounds}", min(7.2, 3.4 + 0.62 * len(profiles))
    )
    axis = figure.subplots()
    kinds = [*(way.name for way in DRIFT_KINDS), "other break"]
    styles = styles_of(results.roles())
    for line, profile in enumerate(profiles.values()):
        for place, (text, shade) in enumerate(_cells(profile)):
            tint = (0.77, 0.31, 0.0, shade)
            axis.fill_between([place - 0.48, place + 0.48], line - 0.44, line + 0.44, color=tint, linewidth=0)
            colour = "white" if shade > 0.6 else "#222222" if shade else "#999999"
            axis.text(place, line, text, ha="center", va="center", fontsize=LABEL - 1, color=colour)
    axis.set_xlim(-0.6, len(kinds) - 0.4)
    axis.set_ylim(len(profiles) - 0.4, -0.6)
    axis.set_xticks(range(len(kinds)), kinds, fontsize=SMALL + 1, rotation=35, ha="left")
    axis.xaxis.tick_top()
    name_rows(axis, range(len(profiles)), list(profiles), [styles[name]["color"] for name in profiles])
    axis.tick_params(length=0)
    axis.spines[["top", "right", "left", "bottom"]].set_visible(False)
    footnote(
        figure,
        f"{results.suite}. In units of what a person just notices: below 1 it is not seen in most returns. "
        "Drift is of the whole picture; the last column counts returns that are visibly changed otherwise.",
    )
    return figure


def _cells(profile: RoundProfile) -> Iterator[tuple[str, float]]:
    """Every kind of drift, and last the visible changes that no drift explains: nothing may look calm that
    is broken."""
    for way in DRIFT_KINDS:
        drift = profile.drifts.get(way.name)
        if drift is None:
            yield ABSENT, 0.0
        else:
            yield f"{drift.noticed:.1f}" if drift.noticed < 100 else "99+", _shade(drift.noticed)
    if not profile.visible:
        yield "0", 0.0
        return
    count, n = sum(one.count for one in profile.visible), profile.visible[0].n
    yield f"{count} of {n}", 0.15 + 0.6 * count / n


def _shade(noticed: float | None) -> float:
    """Unnoticeable is white, sixteen times the just noticeable amount is darkest."""
    if noticed is None or noticed < 1:
        return 0.0
    return 0.15 + 0.85 * min(math.log2(noticed) / math.log2(_DARKEST), 1.0)
