"""The paper's tables of numbers: ranking, metrics, scores, parts of the suite, drift."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from convergebench.analysis import (
    Interval,
    Part,
    Ranking,
    RankingRow,
    Results,
    breakdown,
    has_scale,
    on_shared_cases,
    preserved,
    ranking,
    ranking_by_part,
    ranking_by_round,
    rankings,
)
from convergebench.analysis.round_trip.drift_kinds import DRIFT_KINDS
from convergebench.analysis.round_trip.drift_profile import drift_profile
from convergebench.report.formatting import ABSENT, decimals, mean_with_interval, metric_title, number
from convergebench.report.paper.grids import Grid, shaded
from convergebench.report.tables.ranking import ranking_cells
from convergebench.report.tables.ranking_notes import ranking_notes
from convergebench.report.tables.rounds import rounds_cells
from convergebench.shown_text import counted
from convergebench.types import MetricFacts

MOST_COLUMNS = 14
"""Maximum number of models next to each other, with rotated headings."""
_MOST_PARTS = 6
_MOST_METRICS = 5
_DARKEST_DRIFT = 16.0


def ranking_grid(ranked: Ranking) -> Grid:
    headings, rows, words = ranking_cells(ranked, "paper")
    rules, notes = first_calibration_row(ranked.rows), ranking_notes(ranked)
    return Grid(headings, rows, left=words, rules=rules, notes=list(notes))


def shared_grid(results: Results, ranked: Ranking) -> Grid | None:
    """The ranking on shared cases, if models were not run on the same cases."""
    if not ranked.unequal_cases:
        return None
    shared = on_shared_cases(results, ranked.metric.name, ranked.round)
    if not shared.cases:
        return None
    left_out = [f"{model} ({counted(count, 'case')})" for model, count in shared.left_out.items()]
    notes = [f"On {counted(len(shared.cases), 'case')}."]
    notes += [f"Excluded for too few cases: {', '.join(left_out)}."] if left_out else []
    return replace(ranking_grid(ranking(shared.results, ranked.metric.name, ranked.round)), notes=notes)


def rounds_grid(results: Results, ranked: Ranking) -> Grid | None:
    if results.rounds < 2:
        return None
    marks = ranking_by_round(results, ranked)
    rows = rounds_cells(marks, [row.model for row in ranked.rows])
    return Grid(
        ["model", *(f"R{mark}" for mark in marks.rounds)], rows, rules=first_calibration_row(ranked.rows)
    )


def partial_grid(results: Results, ranked: Ranking) -> Grid | None:
    """The ranking on partially reversible edits, which is never combined with the main one."""
    found = rankings(results, ranked.metric.name)[1:]
    return ranking_grid(found[0][1]) if found else None


def metrics_grids(ranked: Ranking) -> list[Grid]:
    """All metrics of preservation, if there are others than the ranking metric, some in each table."""
    shown = [facts for facts in ranked.metrics if facts.dimension != "drift" and _has_value(ranked, facts)]
    if len(shown) < 2:
        return []
    size = math.ceil(len(shown) / math.ceil(len(shown) / _MOST_METRICS))
    return [_metrics_grid(ranked, shown[start : start + size]) for start in range(0, len(shown), size)]


def _metrics_grid(ranked: Ranking, shown: Sequence[MetricFacts]) -> Grid:
    rows = []
    for row in ranked.rows:
        means = [row.metrics[facts.name] for facts in shown]
        cells = [
            mean_with_interval(one.mean, one.low, one.high, facts)
            for one, facts in zip(means, shown, strict=True)
        ]
        rows.append([row.model, *cells])
    return Grid(["model", *map(metric_title, shown)], rows, rules=first_calibration_row(ranked.rows))


def scores_grid(ranked: Ranking) -> Grid | None:
    shown = [
        row for row in ranked.rows if row.convergence is not None and row.convergence.together is not None
    ]
    if not shown:
        return None
    rows = []
    for row in shown:
        assert row.convergence is not None
        kinds = (
            row.convergence.quality,
            row.convergence.semantic,
            row.convergence.together,
            row.convergence.gated,
        )
        rows.append([row.model, *map(_points_with_interval, kinds)])
    return Grid(
        ["model", "quality", "semantics", "convergence score", "gated"],
        rows,
        rules=first_calibration_row(shown),
    )


def part_grid(results: Results, ranked: Ranking, by: Part) -> Grid | None:
    """One row per model and one column per part; None if the suite has one part, or more than fit."""
    parts = ranking_by_part(results, ranked, by)
    if not 2 <= len(parts.groups) <= _MOST_PARTS:
        return None
    rows = []
    for row in ranked.rows:
        found = [parts.models[row.model].get(group) for group in parts.groups]
        means = [
            f"{mean_with_interval(one.mean, one.low, one.high, parts.metric)} ({one.n})" if one else ABSENT
            for one in found
        ]
        rows.append([row.model, *means])
    headings = ["model", *(group or "none" for group in parts.groups)]
    return Grid(headings, rows, rules=first_calibration_row(ranked.rows))


def edit_grids(results: Results, ranked: Ranking) -> list[Grid]:
    """One row per edit and one column per ranked model, split to fit the page's width; darker is worse."""
    parts = breakdown(results, "pair", ranked.metric.name, ranked.round)
    models = [row.model for row in ranked.rows if row.rank is not None]
    if len(parts.groups) < 2 or not models:
        return []

    def cell(model: str, group: str) -> tuple[str, float | None]:
        found = parts.models[model].get(group)
        mean = found.mean if found else None
        return number(mean, min(decimals(ranked.metric), 2)), _shade(mean, ranked.metric)

    size = math.ceil(len(models) / math.ceil(len(models) / MOST_COLUMNS))
    pieces = [models[start : start + size] for start in range(0, len(models), size)]
    names = [group or "none" for group in parts.groups]
    return [
        shaded("edit", names, piece, [[cell(model, group) for model in piece] for group in parts.groups])
        for piece in pieces
    ]


def drift_grid(results: Results, ranked: Ranking) -> Grid | None:
    """One row per model and one column per kind of drift, in just noticeable amounts."""
    names, cells = [], []
    for row in ranked.rows:
        last = [one for one in drift_profile(results, row.model) if one.round == ranked.round]
        if not last:
            continue
        found = last[0].drifts
        noticed = [found[way.name].noticed if way.name in found else None for way in DRIFT_KINDS]
        names.append(row.model)
        cells.append([(number(one, 1), _drift_shade(one)) for one in noticed])
    return shaded("model", names, [way.name for way in DRIFT_KINDS], cells) if names else None


def first_calibration_row(rows: Sequence[RankingRow]) -> list[int]:
    """The index of the first calibration row, if there are rows above it."""
    places = [place for place, row in enumerate(rows) if row.is_calibration]
    return places[:1] if places and places[0] else []


def _has_value(ranked: Ranking, facts: MetricFacts) -> bool:
    return any(row.metrics[facts.name].mean is not None for row in ranked.rows)


def _points(points: Interval | None) -> str:
    return number(points.mean if points else None, 1)


def _points_with_interval(points: Interval | None) -> str:
    if points is None or points.low is None:
        return _points(points)
    return f"{number(points.mean, 1)} [{number(points.low, 1)}, {number(points.high, 1)}]"


def _shade(mean: float | None, facts: MetricFacts) -> float | None:
    import numpy as np

    if mean is None or not has_scale(facts):
        return None
    return 1 - float(preserved(np.array([mean]), facts)[0])


def _drift_shade(noticed: float | None) -> float | None:
    """Logarithmic: unnoticeable is white, sixteen times the just noticeable amount is darkest."""
    if noticed is None or noticed < 1:
        return None
    return 0.15 + 0.85 * min(math.log2(noticed) / math.log2(_DARKEST_DRIFT), 1.0)


def _seen_grids(results: Results, seen: Ranking) -> dict[str, Grid | None]:
    if seen.headline is None:
        return {}
    return {
        "seen": ranking_grid(seen),
        "seen-by-round": rounds_grid(results, seen),
        "seen-by-category": part_grid(results, seen, "category"),
    }


def grids_of(results: Results, ranked: Ranking, seen: Ranking) -> Iterator[tuple[str, Grid]]:
    """Every table of numbers that the results allow, by its name in the text."""
    found: dict[str, Grid | None] = {
        **_seen_grids(results, seen),
        "ranking": ranking_grid(ranked),
        "shared": shared_grid(results, ranked),
        "partial": partial_grid(results, ranked),
        "by-round": rounds_grid(results, ranked),
        "scores": scores_grid(ranked),
        "by-category": part_grid(results, ranked, "category"),
        "by-kind": part_grid(results, ranked, "kind"),
        "drift": drift_grid(results, ranked),
    }
    yield from ((name, grid) for name, grid in found.items() if grid is not None)
