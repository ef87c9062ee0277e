"""Results on the cases that all models have, the only cases on which their means can be compared."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np

from convergebench.analysis.round_trip.breakdown import Part
from convergebench.analysis.round_trip.paired_difference import values_at
from convergebench.analysis.round_trip.results import FailedStep, Results, Return

FEWEST_CASES = 5
"""A model with fewer cases would leave too few to compare the others on."""


@dataclass(frozen=True)
class SharedCases:
    """The results of the remaining models, on their common cases."""

    results: Results
    cases: tuple[str, ...]
    left_out: dict[str, int]
    """Models with too few cases, and their number of cases."""


def on_shared_cases(
    results: Results, metric: str = "ssim", round: int | None = None, fewest: int = FEWEST_CASES
) -> SharedCases:
    """Select the cases and seeds for which every model has the metric at the round; the selection is applied
    to floors too."""
    facts = results.facts(metric)
    number = results.rounds if round is None else round
    chains = {
        model: frozenset(values_at(results, model, facts, number))
        for model, role in results.roles().items()
        if role != "floor"
    }
    cases = {model: len({case for case, _ in found}) for model, found in chains.items()}
    left_out = {model: count for model, count in cases.items() if count < fewest}
    kept = [found for model, found in chains.items() if model not in left_out]
    shared = frozenset[tuple[str, int]].intersection(*kept) if kept else frozenset()
    remaining = [model for model, found in begun_chains(results).items() if found and model not in left_out]
    return SharedCases(
        on_chains(results, remaining, shared), tuple(sorted({case for case, _ in shared})), left_out
    )


def begun_chains(results: Results) -> dict[str, frozenset[tuple[str, int]]]:
    """The cases and seeds that each model has begun, whether they returned or failed."""
    found: dict[str, set[tuple[str, int]]] = {model: set() for model in results.roles()}
    begun: tuple[Return | FailedStep, ...] = (*results.returns, *results.troubles)
    for item in begun:
        found[item.model].add((item.case, item.seed))
    return {model: frozenset(chains) for model, chains in found.items()}


def on_chains(results: Results, models: Collection[str], chains: Collection[tuple[str, int]]) -> Results:
    """The results of these models on these cases and seeds. A model's time and cost cover all of its cases:
    they are kept if these are all that it has."""
    own = begun_chains(results)

    def is_kept(item: Return | FailedStep) -> bool:
        return item.model in models and (item.case, item.seed) in chains

    return replace(
        results,
        returns=tuple(item for item in results.returns if is_kept(item)),
        troubles=tuple(item for item in results.troubles if is_kept(item)),
        uses=tuple(use for use in results.uses if use.model in models and own[use.model] <= set(chains)),
        partial=None,
    )


def of_part(results: Results, by: Part) -> dict[str, Results]:
    """The results of each category of edit, kind of picture or edit pair, by its name."""
    parts = np.array([str(getattr(item, by)) for item in results.returns])
    return {
        name: replace(
            results,
            returns=results.table.at(np.flatnonzero(parts == name)),
            troubles=tuple(item for item in results.troubles if getattr(item, by) == name),
            uses=(),
            partial=None,
        )
        for name in np.unique(parts).tolist()
    }
