"""Chains as the headline sees them, and what each of its columns says of one chain."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from convergebench.analysis.headline.chain_rounds import Chain, Thresholds, chains_of
from convergebench.analysis.headline.edit_decisions import edit_decisions
from convergebench.analysis.headline.reversal_grades import reversal_grades
from convergebench.analysis.round_trip.paired_difference import Values
from convergebench.analysis.round_trip.results import Results


@dataclass(frozen=True)
class ChainColumn:
    """Higher is better in all of them."""

    heading: str
    value: Callable[[Chain], float | None]
    """None if it is missing."""
    largest: float = 1.0


def chain_columns(rounds: int) -> Mapping[str, ChainColumn]:
    """By name, the score first."""
    return {
        "score": ChainColumn("score", lambda one: None if one.score is None else 100 * one.score, 100.0),
        "did": ChainColumn(
            "did the edit",
            lambda one: _mean([float(r.happened) for r in one.rounds if r.happened is not None]),
        ),
        "undid": ChainColumn(
            "undid it", lambda one: _mean([r.undid for r in one.rounds if r.undid is not None])
        ),
        "kept_first": ChainColumn("kept R1", lambda one: one.rounds[0].kept if one.rounds else None),
        "kept_last": ChainColumn(
            f"kept R{rounds}",
            lambda one: one.rounds[rounds - 1].kept if len(one.rounds) >= rounds else None,
        ),
        "usable": ChainColumn("usable for", _usable, float(rounds)),
    }


def headline_chains(results: Results) -> list[Chain]:
    """Of all models, with one rule for all of them for whether an edit happened."""
    models = [model for model, role in results.roles().items() if role == "model"]
    return chains_of(results, edit_decisions(results, models), reversal_grades(results, models))


def values_of(chains: Sequence[Chain], model: str, column: ChainColumn) -> Values:
    found = ((one, column.value(one)) for one in chains if one.model == model)
    return {(one.case, one.seed): (one.picture, value) for one, value in found if value is not None}


def _usable(chain: Chain) -> float | None:
    """Usable rounds; None if the chain was cut off for another reason than its quality."""
    number, reason = chain.usable(Thresholds())
    return None if reason is None and number < chain.planned else float(number)


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
