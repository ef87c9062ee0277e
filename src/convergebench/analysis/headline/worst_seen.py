"""The returns that lost most to the eye, worst first."""

from __future__ import annotations

from collections.abc import Sequence

from convergebench.analysis.headline.chain_rounds import Chain
from convergebench.analysis.headline.headline import DEFAULT_THRESHOLDS, SCORE
from convergebench.analysis.headline.headline_chains import headline_chains
from convergebench.analysis.round_trip.half_life import THRESHOLD
from convergebench.analysis.round_trip.results import Results
from convergebench.analysis.round_trip.worst_cases import WorstCase, worst_cases
from convergebench.types import MetricFacts


def worst_by(
    results: Results,
    metric: str | None = None,
    round: int | None = None,
    models: Sequence[str] = (),
    threshold: float = THRESHOLD,
    limit: int | None = None,
) -> tuple[tuple[WorstCase, ...], MetricFacts]:
    """The worst cases of a round, by default the last, and what they are ordered by: without a metric, what a
    person sees if a model was measured by region, otherwise the chief metric. With a limit, so many."""
    if metric is None and set(models) <= set(results.roles()):
        seen = _worst_seen(results, round, models)
        if seen:
            return seen[:limit], SCORE
    chosen = metric or results.chief
    return worst_cases(results, chosen, round, models, threshold, limit), results.facts(chosen)


def _worst_seen(results: Results, round: int | None, models: Sequence[str]) -> tuple[WorstCase, ...]:
    """By the score of the round alone. Probes and floors do not edit, and are left out."""
    number = results.round_or_last(round)
    ranked = {model for model, role in results.roles().items() if role == "model"}
    wanted = ranked & set(models) if models else ranked
    if not any(model in wanted and found.has("undid") for model, found in results.returns_by_model.items()):
        return ()
    chains = headline_chains(results)
    returns = {(item.model, item.case, item.seed): item for item in results.returns if item.round == number}
    found = []
    for chain in (one for one in chains if one.model in wanted and len(one.rounds) >= number):
        quality = chain.rounds[number - 1].quality
        if quality is not None:
            item = returns[chain.model, chain.case, chain.seed]
            found.append(WorstCase(item, 100 * quality, _fell_at(chain)))
    return tuple(sorted(found, key=lambda one: one.value))


def _fell_at(chain: Chain) -> float | None:
    """The first round that is not usable."""
    usable, ending = chain.usable(DEFAULT_THRESHOLDS)
    return None if ending is None else usable + 1.0
