"""The same metric over parts of the suite: by category of edit, by kind of picture, or by edit pair."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from convergebench.analysis.round_trip.metric_summary import MetricSummary, summarise
from convergebench.analysis.round_trip.results import FailedStep, Results, Return
from convergebench.types import MetricFacts

Part: TypeAlias = Literal["category", "kind", "pair"]


@dataclass(frozen=True)
class Breakdown:
    """A metric: for each model, a summary of each requested group."""

    by: Part
    metric: MetricFacts
    round: int | None
    """None if it is over all rounds."""
    groups: tuple[str, ...]
    models: Mapping[str, Mapping[str, MetricSummary]]


def breakdown(results: Results, by: Part, metric: str, round: int) -> Breakdown:
    """Split a round's returns by a property of their case.

    Missing counts the trajectories with at least one step; the group of others is unknown.
    """
    facts = results.facts(metric)
    expected: dict[tuple[str, str], set[tuple[str, int]]] = {}
    returns: dict[tuple[str, str], list[Return]] = {}
    steps: tuple[Return | FailedStep, ...] = (*results.returns, *results.troubles)
    for item in steps:
        key = (item.model, group_of(item, by))
        expected.setdefault(key, set()).add((item.case, item.seed))
        if isinstance(item, Return) and item.round == round:
            returns.setdefault(key, []).append(item)
    groups = tuple(sorted({group for _, group in expected}))
    models = {
        model: {
            group: summarise(returns.get((model, group), []), facts, len(expected[model, group]))
            for group in groups
            if (model, group) in expected
        }
        for model in results.roles()
    }
    return Breakdown(by, facts, round, groups, models)


def group_of(item: Return | FailedStep, by: Part) -> str:
    return {"category": item.category, "kind": item.kind, "pair": item.pair}[by]
