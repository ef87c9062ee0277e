"""What the page knows from the start: models, metrics, cases, and what each model took."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from convergebench._version import __version__
from convergebench.analysis import Results, Return, Trouble, has_scale
from convergebench.report._wording import decimals, metric_title
from convergebench.types import MetricFacts


@dataclass(frozen=True)
class CaseFacts:
    id: str
    picture: str
    pair: str
    category: str
    kind: str


def overview_section(results: Results, *, live: bool) -> dict[str, Any]:
    return {
        "suite": results.suite,
        "rounds": results.rounds,
        "version": __version__,
        "live": live,
        "models": [{"name": name, "role": role} for name, role in results.roles().items()],
        "metrics": [_metric(facts, results) for facts in results.metrics],
        "cases": [asdict(case) for case in cases_of(results)],
        "uses": [asdict(use) for use in results.uses],
    }


def cases_of(results: Results) -> list[CaseFacts]:
    """Every case that was begun, in alphabetical order; their places are their numbers in the page."""
    begun: tuple[Return | Trouble, ...] = (*results.returns, *results.troubles)
    found = {
        item.case: CaseFacts(item.case, item.picture, item.pair, item.category, item.kind) for item in begun
    }
    return [found[case] for case in sorted(found)]


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
