"""Sessions by turn, for the page: the curves of all protocols of a set together."""

from __future__ import annotations

from typing import Any

from convergebench.analysis.sessions.figures import TurnCurve
from convergebench.benchmarks.session_curves import session_curves
from convergebench.report.tables.turns import json_point
from convergebench.results import Records
from convergebench.results.sessions import suites_with_sessions


def sessions_section(records: Records) -> list[dict[str, Any]]:
    """For each set its figures, each with a curve for every model and protocol."""
    sets: dict[str, list[TurnCurve]] = {}
    for suite in suites_with_sessions(records):
        curves = session_curves(records, suite)
        sets.setdefault(suite.base, []).extend(curves)
    return [{"suite": name, "figures": _figures(curves)} for name, curves in sets.items()]


def _figures(curves: list[TurnCurve]) -> list[dict[str, Any]]:
    several = len({curve.protocol for curve in curves}) > 1
    by_title: dict[str, list[TurnCurve]] = {}
    for curve in curves:
        by_title.setdefault(curve.figure.title, []).append(curve)
    return [
        {
            "key": own[0].figure.key,
            "title": title,
            "better": own[0].figure.better,
            "decimals": own[0].figure.decimals,
            "turns": max(len(curve.points) for curve in own),
            "curves": [
                {
                    "name": f"{curve.model}, {curve.protocol}" if several else curve.model,
                    "points": [{**json_point(point), "round": point.turn} for point in curve.points],
                }
                for curve in own
            ],
        }
        for title, own in by_title.items()
    ]
