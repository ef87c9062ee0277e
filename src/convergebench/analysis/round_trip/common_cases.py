"""Results on the cases that all models have, the only cases on which their means can be compared."""

from __future__ import annotations

from dataclasses import dataclass, replace

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

    def is_kept(item: Return | FailedStep) -> bool:
        return (item.case, item.seed) in shared and item.model not in left_out

    returns = tuple(item for item in results.returns if is_kept(item))
    troubles = tuple(item for item in results.troubles if is_kept(item))
    # A model's time and cost cover all of its cases, so they do not apply to these.
    restricted = replace(results, returns=returns, troubles=troubles, uses=(), partial=None)
    return SharedCases(restricted, tuple(sorted({case for case, _ in shared})), left_out)


def of_part(results: Results, by: Part) -> dict[str, Results]:
    """The results of each category of edit, kind of picture or edit pair, by its name."""
    names = sorted({str(getattr(item, by)) for item in results.returns})
    return {
        name: replace(
            results,
            returns=tuple(item for item in results.returns if getattr(item, by) == name),
            troubles=tuple(item for item in results.troubles if getattr(item, by) == name),
            uses=(),
            partial=None,
        )
        for name in names
    }
