"""The page's initial data: models, metrics, cases, and each model's cost and time."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from convergebench._version import __version__
from convergebench.analysis import FailedStep, Results, Return, has_scale
from convergebench.analysis.round_trip.reported_rounds import reported_rounds
from convergebench.analysis.round_trip.results import Edits
from convergebench.report.formatting import decimals, metric_title
from convergebench.report.model_colours import COLOURS, colour_slots
from convergebench.report.page.change_maps import scale
from convergebench.types import MetricFacts

_QUICK = 1000
"""The number of tests that take about as long as the rest of a report."""


@dataclass(frozen=True)
class CaseFacts:
    id: str
    picture: str
    pair: str
    category: str
    kind: str
    edits: Edits


def overview_section(results: Results, *, live: bool) -> dict[str, Any]:
    slots = colour_slots(results.roles())
    return {
        "suite": results.suite,
        "protocol": results.protocol,
        "edits": results.edits,
        "rounds": results.rounds,
        "version": __version__,
        "live": live,
        "models": [
            {"name": name, "role": role, "colour": slots[name] % COLOURS, "dash": slots[name] // COLOURS}
            for name, role in results.roles().items()
        ],
        "metrics": [
            {**_metric(facts, results), "compared_rounds": compared_rounds(results, facts, live=live)}
            for facts in results.metrics
        ],
        "cases": [asdict(case) for case in cases_of(results)],
        "uses": [asdict(use) for use in results.uses],
        "change_scale": scale(),
    }


def compared_rounds(results: Results, facts: MetricFacts, *, live: bool) -> list[int]:
    """The rounds at which all pairs of models are tested against each other.

    The tests take time. A report covers all rounds if that is quick enough, otherwise the rounds that are
    usually quoted, otherwise the last round. A live page tests on request.
    """
    if not has_scale(facts):
        return []
    everything = list(range(1, results.rounds + 1))
    if live:
        return everything
    pairs = math.comb(len(results.roles()), 2) * len(results.headline)
    for rounds in (everything, list(reported_rounds(results.rounds))) if facts.dimension != "drift" else ():
        if pairs * len(rounds) <= _QUICK:
            return rounds
    return [results.rounds]


def cases_of(results: Results) -> list[CaseFacts]:
    """Every case that was started, in alphabetical order; its index is its number in the page."""
    begun: tuple[Return | FailedStep, ...] = (*results.returns, *results.troubles)
    last = {item.case: item for item in begun}
    return [_case(last[case]) for case in sorted(last)]


def _case(item: Return | FailedStep) -> CaseFacts:
    edits: Edits = "reversible" if item.reversibility == "reversible" else "partially reversible"
    return CaseFacts(item.case, item.picture, item.pair, item.category, item.kind, edits)


def case_numbers(results: Results) -> dict[str, int]:
    return {case.id: number for number, case in enumerate(cases_of(results))}


def model_numbers(results: Results) -> dict[str, int]:
    return {model: number for number, model in enumerate(results.roles())}


def _metric(facts: MetricFacts, results: Results) -> dict[str, Any]:
    return {
        **asdict(facts),
        "title": metric_title(facts),
        "decimals": decimals(facts),
        "scaled": has_scale(facts),
        "bounded": math.isfinite(facts.perfect),
        "measured": any(
            (found := item.values.get(facts.name)) is not None and found.value is not None
            for item in results.returns
        ),
    }
