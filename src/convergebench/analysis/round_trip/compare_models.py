"""All comparisons of two models that their results allow."""

from __future__ import annotations

from contextlib import suppress

from convergebench.analysis.round_trip.breakdown import Part
from convergebench.analysis.round_trip.common_cases import of_part
from convergebench.analysis.round_trip.paired_difference import (
    NothingShared,
    PairedDifference,
    paired_areas,
    paired_difference,
)
from convergebench.analysis.round_trip.preserved_scale import has_scale
from convergebench.analysis.round_trip.results import Results


def compare_models(
    results: Results, first: str, second: str, metric: str = "ssim", round: int | None = None
) -> list[PairedDifference]:
    """Differences in the metric at the round, in the area under its curve, and in all other metrics that both
    models have."""
    number = results.round_or_last(round)
    found = [paired_difference(results, first, second, metric, number)]
    with suppress(NothingShared):
        found.append(paired_areas(results, first, second, metric))
    for facts in results.metrics:
        if facts.name != metric and has_scale(facts):
            with suppress(NothingShared):
                found.append(paired_difference(results, first, second, facts.name, number))
    return found


def compare_models_by(
    results: Results, by: Part, first: str, second: str, metric: str = "ssim", round: int | None = None
) -> dict[str, PairedDifference]:
    """Differences in the metric at the round for each category of edit, kind of picture or edit pair that
    both models have."""
    number = results.round_or_last(round)
    found = {}
    for name, part in of_part(results, by).items():
        with suppress(NothingShared):
            found[name] = paired_difference(part, first, second, metric, number)
    return found
