"""Which models are ranked beside each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

Chains = frozenset[tuple[str, int]]
"""Cases with their seeds."""


def ranked_models(chains: Mapping[str, Chains]) -> tuple[str, ...]:
    """The models with the most chains, as many as give the most comparisons: pairs of models, times the
    chains that all of them have.

    The score is over shared chains. One model that was stopped early would leave the others its few.

    >>> every, few = frozenset((f"case {n}", 0) for n in range(66)), frozenset([("case 1", 0)])
    >>> ranked_models({"a": every, "stopped": few, "b": every})
    ('a', 'b')
    >>> ranked_models({"a": every, "stopped": few})
    ('a', 'stopped')
    """
    models = tuple(sorted(chains, key=lambda model: -len(chains[model])))
    ranked, most = models, 0
    for count in range(2, len(models) + 1):
        shared = len(shared_chains(chains, models[:count]))
        comparisons = count * (count - 1) // 2 * shared
        if shared and comparisons >= most:
            ranked, most = models[:count], comparisons
    return ranked


def shared_chains(chains: Mapping[str, Chains], models: Iterable[str]) -> Chains:
    """Those that all of these models have; none if there is no model."""
    found = [chains[model] for model in models]
    return frozenset[tuple[str, int]].intersection(*found) if found else frozenset()
