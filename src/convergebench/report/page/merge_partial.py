"""Results for browsing: includes the partially reversible edits, which are ranked separately."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from convergebench.analysis import ModelUse, Results


def merge_partial(results: Results) -> Results:
    """For finding pictures and values, not for means: the two kinds of edits are never averaged together."""
    other = results.partial
    if other is None:
        return results
    return replace(
        results,
        rounds=max(results.rounds, other.rounds),
        returns=(*results.returns, *other.returns),
        troubles=(*results.troubles, *other.troubles),
        uses=tuple(_summed((*results.uses, *other.uses))),
        partial=None,
    )


def _summed(uses: Iterable[ModelUse]) -> Iterable[ModelUse]:
    found: dict[str, ModelUse] = {}
    for use in uses:
        found[use.model] = _sum(found[use.model], use) if use.model in found else use
    return found.values()


def _sum(one: ModelUse, other: ModelUse) -> ModelUse:
    """A cost is unknown if a part of it is; the mean time is over the edits of both."""
    known = [use for use in (one, other) if use.mean_seconds is not None]
    edits = sum(use.edits for use in known)
    seconds = sum(use.edits * (use.mean_seconds or 0.0) for use in known)
    cost = None if one.cost_usd is None or other.cost_usd is None else one.cost_usd + other.cost_usd
    return replace(
        one,
        trajectories=one.trajectories + other.trajectories,
        complete=one.complete + other.complete,
        edits=one.edits + other.edits,
        failures=one.failures + other.failures,
        mean_seconds=seconds / edits if edits else None,
        cost_usd=cost,
    )
