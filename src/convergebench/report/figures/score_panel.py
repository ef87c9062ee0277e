"""The score over the rounds as a panel of curves."""

from __future__ import annotations

from collections.abc import Sequence

from convergebench.analysis import Results, headline_ranking
from convergebench.analysis.headline.headline import SCORE
from convergebench.analysis.headline.ranking_parts import score_curves
from convergebench.report.figures.curve_panel import Panel, panels_of


def chosen_panels(results: Results, metrics: Sequence[str] | None = None) -> list[Panel]:
    """Of these metrics; otherwise the score, if models have one, and then the headline metrics."""
    if metrics is not None:
        return panels_of(results, metrics)
    return [*_score_panels(results), *panels_of(results, [facts.name for facts in results.headline])]


def _score_panels(results: Results) -> list[Panel]:
    """At most one."""
    found = headline_ranking(results).headline if results.metrics else None
    if found is None:
        return []
    return [Panel(SCORE, score_curves(results, found))]
