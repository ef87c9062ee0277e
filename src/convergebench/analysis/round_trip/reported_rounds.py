"""The rounds that every report shows, and those at which a metric that measures only these was measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

from convergebench.analysis.round_trip.return_table import ReturnTable

HEADLINE_ROUNDS = (1, 2, 3, 5, 10, 15, 20)


def reported_rounds(planned: int) -> tuple[int, ...]:
    """
    >>> reported_rounds(7)
    (1, 2, 3, 5, 7)
    """
    return tuple(sorted(mark for mark in {*HEADLINE_ROUNDS, planned} if mark <= planned))


def rounds_measured(
    returns: ReturnTable, metrics: Sequence[str], planned: int
) -> Mapping[tuple[str, str], Set[int]]:
    """By metric and model: the reported rounds, and those at which every chain was measured that was at any.

    At another round, a return has a value if it is the same file as that of a reported round. A mean over
    such returns alone is not that of the model: they are the ones that changed least.
    """
    found: dict[tuple[str, str], set[int]] = {}
    lacking: dict[tuple[str, str], set[int]] = {}
    for metric in metrics:
        chains: dict[tuple[str, str, int], tuple[set[int], set[int]]] = {}
        for one, round, values in zip(returns.facts(), returns.round.tolist(), returns.values, strict=True):
            has, lacks = chains.setdefault((one.model, one.case, one.seed), (set(), set()))
            (has if metric in values else lacks).add(round)
        for (model, _, _), (has, lacks) in chains.items():
            if has:
                found.setdefault((metric, model), set()).update(has)
                lacking.setdefault((metric, model), set()).update(lacks)
    reported = set(reported_rounds(planned))
    return {key: (has - lacking[key]) | reported for key, has in found.items()}
