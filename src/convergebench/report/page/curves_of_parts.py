"""Curves over the rounds, of all cases and of each part of the suite."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from convergebench.analysis import Curve, Part, Results, of_part

PARTS: tuple[Part, ...] = ("category", "kind")


def curves_of_parts(
    results: Results, number: Mapping[str, int], curves_of: Callable[[Results], Sequence[Curve]]
) -> list[dict[str, Any]]:
    """Models are referred to by number."""
    return [
        {
            "by": by,
            "part": name,
            "models": [
                {"model": number[curve.model], "points": [vars(point) for point in curve.points]}
                for curve in curves_of(part)
            ],
        }
        for by, name, part in _parts(results)
    ]


def _parts(results: Results) -> Iterator[tuple[str, str, Results]]:
    yield "", "", results
    for by in PARTS:
        yield from ((by, name, part) for name, part in of_part(results, by).items())
