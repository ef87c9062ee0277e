"""Two models on their shared cases: what a person sees first, then every metric."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

from convergebench.analysis.headline.chain_rounds import Chain
from convergebench.analysis.headline.headline_chains import chain_columns, headline_chains, values_of
from convergebench.analysis.round_trip.breakdown import Part
from convergebench.analysis.round_trip.common_cases import of_part
from convergebench.analysis.round_trip.compare_models import compare_models, compare_models_by
from convergebench.analysis.round_trip.paired_difference import (
    NothingShared,
    PairedDifference,
    paired_difference,
    paired_values,
)
from convergebench.analysis.round_trip.results import Results


def model_differences(
    results: Results,
    first: str,
    second: str,
    metric: str | None = None,
    round: int | None = None,
    by: Part | None = None,
) -> list[tuple[str, PairedDifference]]:
    """Each with the part of the suite that it covers; empty for the whole.

    If a metric or a round is named, only metrics are compared. `by` adds each category, kind or pair by what
    comes first: the score, or the metric.
    """
    chief = metric or results.chief
    seen = headline_differences(results, first, second) if metric is None and round is None else []
    try:
        by_metric = compare_models(results, first, second, chief, round)
    except NothingShared as error:
        if not seen:
            earlier = _last_shared_round(results, first, second, chief) if round is None else None
            if earlier is None:
                raise
            raise NothingShared(f"{error} but earlier rounds: add --round {earlier}") from error
        by_metric = []  # one of them refused all: the score counts that, and no metric does
    found = [("", one) for one in (*seen, *by_metric)]
    if by is None:
        return found
    if not seen:
        return found + list(compare_models_by(results, by, first, second, chief, round).items())
    return found + [
        (name, score)
        for name, part in of_part(results, by).items()
        for score in headline_differences(part, first, second)[:1]
    ]


def _last_shared_round(results: Results, first: str, second: str, metric: str) -> int | None:
    for round in range(results.rounds - 1, 0, -1):
        with suppress(NothingShared):
            paired_difference(results, first, second, metric, round)
            return round
    return None


def headline_differences(results: Results, first: str, second: str) -> list[PairedDifference]:
    """The score and what it consists of; none of them if no shared chain has a score."""
    if not results.has("undid"):
        return []
    return list(chain_differences(headline_chains(results), results.rounds, first, second))


def chain_differences(
    chains: Sequence[Chain], rounds: int, first: str, second: str
) -> Iterator[PairedDifference]:
    for name, column in chain_columns(rounds).items():
        if name == "kept_first" and rounds == 1:
            continue  # it is kept_last
        ours, theirs = (values_of(chains, model, column) for model in (first, second))
        try:
            yield paired_values(first, second, column.heading, True, ours, theirs, (0.0, column.largest))
        except NothingShared:
            if name == "score":
                return
