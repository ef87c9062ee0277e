"""The chain of each model that stands in the middle of its results: an example that is neither its best nor
its worst."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

from convergebench.analysis.headline.headline_chains import headline_chains
from convergebench.analysis.round_trip.missing_values import reading
from convergebench.analysis.round_trip.preserved_scale import has_scale, shortfall
from convergebench.analysis.round_trip.results import FailedStep, Results, Return


class ChainKey(NamedTuple):
    case: str
    seed: int


_Losses: TypeAlias = Mapping[str, Mapping[ChainKey, float]]
"""By model and chain; the lower the better."""


def median_chains(results: Results) -> dict[str, ChainKey]:
    """By model: the chain with the median headline score, or by the chief metric at its last round if it has
    no score. Of two in the middle, the better one; a model without a value has its first chain."""
    begun: tuple[Return | FailedStep, ...] = (*results.returns, *results.troubles)
    first: dict[str, ChainKey] = {}
    for item in begun:
        first.setdefault(item.model, ChainKey(item.case, item.seed))
    scored, measured = _by_score(results), _by_metric(results)
    return {
        model: _middle(scored.get(model) or measured.get(model) or {}, otherwise=key)
        for model, key in first.items()
    }


def _middle(losses: Mapping[ChainKey, float], otherwise: ChainKey) -> ChainKey:
    ordered = sorted(losses, key=lambda key: (losses[key], key))
    return ordered[(len(ordered) - 1) // 2] if ordered else otherwise


def _by_score(results: Results) -> _Losses:
    if not any("undid" in item.values for item in results.returns):
        return {}
    models = [model for model, role in results.roles().items() if role == "model"]
    found: defaultdict[str, dict[ChainKey, float]] = defaultdict(dict)
    for chain in headline_chains(results):
        if chain.score is not None and chain.model in models:
            found[chain.model][ChainKey(chain.case, chain.seed)] = -chain.score
    return found


def _by_metric(results: Results) -> _Losses:
    """How far each chain is from perfect at its last round."""
    facts = next((one for one in results.metrics if one.name == results.chief), None)
    if facts is None or not has_scale(facts):
        return {}
    last: dict[tuple[str, ChainKey], Return] = {}
    for item in results.returns:
        key = item.model, ChainKey(item.case, item.seed)
        if key not in last or last[key].round < item.round:
            last[key] = item
    found: defaultdict[str, dict[ChainKey, float]] = defaultdict(dict)
    for (model, chain), item in last.items():
        value = reading(item, facts)
        if not isinstance(value, str):
            found[model][chain] = shortfall(value, facts)
    return found
