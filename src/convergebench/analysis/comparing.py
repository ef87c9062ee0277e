"""Every comparison of two models that their results allow."""

from __future__ import annotations

from contextlib import suppress

from convergebench.analysis.breakdown import Part
from convergebench.analysis.pairing import NothingShared, PairedDifference, paired_areas, paired_difference
from convergebench.analysis.preserved import has_scale
from convergebench.analysis.results import Results
from convergebench.analysis.shared import of_part


def compared(
    results: Results, first: str, second: str, metric: str = "ssim", round: int | None = None
) -> list[PairedDifference]:
    """The metric at the round, the area under its curve, then all other metrics that both models have."""
    number = results.round_or_last(round)
    found = [paired_difference(results, first, second, metric, number)]
    with suppress(NothingShared):
        found.append(paired_areas(results, first, second, metric))
    for facts in results.metrics:
        if facts.name != metric and has_scale(facts):
            with suppress(NothingShared):
                found.append(paired_difference(results, first, second, facts.name, number))
    return found


def compared_by(
    results: Results, by: Part, first: str, second: str, metric: str = "ssim", round: int | None = None
) -> dict[str, PairedDifference]:
    """The metric at the round on each category of edit, kind of picture or edit pair that both have."""
    number = results.round_or_last(round)
    found = {}
    for name, part in of_part(results, by).items():
        with suppress(NothingShared):
            found[name] = paired_difference(part, first, second, metric, number)
    return found
