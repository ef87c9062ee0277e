"""One model against another, or against itself at another time: paired on shared cases and seeds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from convergebench.analysis.headline.baseline_pair import (
    BASELINE,
    CANDIDATE,
    BaselinePair,
    as_one,
    refuse_other_versions,
)
from convergebench.analysis.headline.edit_decisions import EDIT_EVIDENCE
from convergebench.analysis.headline.headline_chains import chain_columns, headline_chains, values_of
from convergebench.analysis.headline.seen_values import FACE_DISTANCE
from convergebench.analysis.round_trip.paired_difference import Values, minimum_detectable, readings
from convergebench.analysis.round_trip.preserved_scale import has_scale, possible
from convergebench.analysis.round_trip.results import Results
from convergebench.analysis.statistics.clustered_mean import (
    Interval,
    Scale,
    clustered_mean,
    clustered_standard_error,
    scale_of_differences,
)
from convergebench.errors import ConvergeBenchError, WrongUse
from convergebench.metrics.clip_direction import NAME as CLIP_DIRECTION
from convergebench.shown_text import shortened
from convergebench.types import MetricFacts

CheckVerdict: TypeAlias = Literal["worse", "better", "no worse", "undecided"]
FailIf: TypeAlias = Literal["worse", "different"]
LEVEL = 0.05
BEHIND_HEADLINE = ("undid", "kept", "kept_registered", FACE_DISTANCE, EDIT_EVIDENCE, CLIP_DIRECTION)
"""The metrics that headline columns are computed from."""
_DECIBELS = 10.0
"""The range that a margin refers to, for metrics without a worst or perfect value."""


@dataclass(frozen=True)
class CheckedQuantity:
    """A candidate's column minus the baseline's. Positive differences are better."""

    model: str
    baseline: str
    quantity: str
    candidate_mean: float
    baseline_mean: float
    difference: Interval
    margin: float
    """In the unit of the quantity."""
    pairs: int
    """Shared cases and seeds with a value on both sides."""
    pictures: int
    """Their source pictures, over which the interval is computed."""
    p_value: float
    """That the true difference is not beyond the margin; corrected by Holm over the whole check."""
    minimum_detectable: float | None
    """With a power of 80 %, before correction."""
    fails: bool
    verdict: CheckVerdict


def check_models(
    comparisons: Sequence[BaselinePair],
    by: Sequence[str] = (),
    fail_if: FailIf = "worse",
    margin: float = 0.0,
) -> list[CheckedQuantity]:
    """Every quantity of every comparison, by default all headline columns that are not gated.

    `margin` is a share of each quantity's range. A quantity fails if its difference is beyond the margin by
    Student's t over source pictures, after Holm's correction for the number of quantities.
    """
    found = [one for pair in comparisons for one in _quantities(pair, by, fail_if, margin)]
    adjusted = holm([one.p_value for one in found])
    return [_decided(one, p, fail_if) for one, p in zip(found, adjusted, strict=True)]


def holm(p_values: Sequence[float]) -> list[float]:
    """The p-values, adjusted by Holm's method.

    >>> [round(p, 3) for p in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    order = sorted(range(len(p_values)), key=lambda place: p_values[place])
    adjusted, highest = [0.0] * len(p_values), 0.0
    for rank, place in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = highest
    return adjusted


def _quantities(
    pair: BaselinePair, by: Sequence[str], fail_if: FailIf, margin: float
) -> list[CheckedQuantity]:
    both = as_one(pair)
    values = _values(both, by)
    refuse_other_versions(pair, _measured_by(values))
    found = [
        one
        for name, quantity in values.items()
        if (one := _compared(pair, name, quantity, margin, fail_if)) is not None
    ]
    if not found:
        raise _nothing_shared(pair)
    return found


def _measured_by(names: Iterable[str]) -> list[str]:
    """The metrics behind columns; a name that is no column is a metric's."""
    columns = chain_columns(1)
    found = [(BEHIND_HEADLINE if name in columns else (name,)) for name in names]
    return list(dict.fromkeys(metric for metrics in found for metric in metrics))


def _nothing_shared(pair: BaselinePair) -> ConvergeBenchError:
    reasons = [step.reason for step in pair.results.troubles if step.model == pair.model]
    if reasons and pair.model not in pair.results.returns_by_model:
        return ConvergeBenchError(f"{pair.model} has no return to compare: {shortened(reasons[0])}")
    return WrongUse(
        f"{pair.model} and {pair.baseline} share no case and seed with these values; "
        "run both on the same cases"
    )


_OfModels: TypeAlias = Mapping[str, Values]


class _Quantity(NamedTuple):
    of_models: _OfModels
    reach: float
    """The range of its values, of which a margin is a share."""
    sign: int
    """1 if higher is better, else -1."""
    scale: Scale


def _values(both: Results, by: Sequence[str]) -> dict[str, _Quantity]:
    """By the name of the column or metric."""
    columns = chain_columns(both.rounds)
    wanted = list(by) or [name for name in columns if name != "score"]
    metrics = {facts.name: facts for facts in both.metrics}
    for name in wanted:
        if name not in columns and name not in metrics:
            known = ", ".join([*columns, *metrics])
            raise WrongUse(f"there is no column {name!r} to check; choose from {known}")
    chains = headline_chains(both)
    found: dict[str, _Quantity] = {}
    for name in wanted:
        if name in columns:
            column = columns[name]
            of_models = {model: values_of(chains, model, column) for model in (CANDIDATE, BASELINE)}
            found[name] = _Quantity(of_models, column.largest, 1, (0.0, column.largest))
        else:
            found[name] = _of_metric(both, metrics[name])
    is_measured = any(one.of_models[CANDIDATE] for one in found.values())
    if not by and not is_measured and both.chief in metrics:  # regions were not measured
        return {both.chief: _of_metric(both, metrics[both.chief])}
    return found


def _of_metric(both: Results, facts: MetricFacts) -> _Quantity:
    if not has_scale(facts):
        raise WrongUse(f"{facts.name} says which way a picture moved, not which is better; choose another")
    last = [item for item in both.returns if item.round == both.rounds]
    of_models = {
        name: readings([item for item in last if item.model == name], facts) for name in (CANDIDATE, BASELINE)
    }
    reach = abs(facts.perfect - facts.worst)
    sign = 1 if facts.better == "higher" else -1
    return _Quantity(of_models, reach if math.isfinite(reach) else _DECIBELS, sign, possible(facts))


def _compared(
    pair: BaselinePair, name: str, quantity: _Quantity, share: float, fail_if: FailIf
) -> CheckedQuantity | None:
    """`share` is the margin as a share of the quantity's range."""
    ours, theirs = quantity.of_models[CANDIDATE], quantity.of_models[BASELINE]
    margin = share * quantity.reach
    shared = [
        key for key in ours if key in theirs and math.isfinite(ours[key][1]) and math.isfinite(theirs[key][1])
    ]
    if not shared:
        return None
    differences = quantity.sign * np.array([ours[key][1] - theirs[key][1] for key in shared])
    pictures = [ours[key][0] for key in shared]
    error = clustered_standard_error(differences, pictures) if len(set(pictures)) > 1 else None
    return CheckedQuantity(
        model=pair.model,
        baseline=pair.baseline,
        quantity=name,
        candidate_mean=float(np.mean([ours[key][1] for key in shared])),
        baseline_mean=float(np.mean([theirs[key][1] for key in shared])),
        difference=clustered_mean(differences, pictures, possible=scale_of_differences(quantity.scale)),
        margin=margin,
        pairs=len(shared),
        pictures=len(set(pictures)),
        p_value=_p_value(float(differences.mean()), error, len(set(pictures)), margin, fail_if),
        minimum_detectable=minimum_detectable(differences, pictures),
        fails=False,
        verdict="undecided",
    )


def _p_value(mean: float, error: float | None, clusters: int, margin: float, fail_if: FailIf) -> float:
    """That a difference which is not beyond the margin looks like this one; 1 for a single picture."""
    from scipy.special import stdtr

    beyond = (-mean if fail_if == "worse" else abs(mean)) - margin
    if error is None:
        return 1.0
    if error == 0.0:
        return 0.0 if beyond > 0 else 1.0
    tail = float(stdtr(clusters - 1, -beyond / error))
    return tail if fail_if == "worse" else min(1.0, 2 * tail)


def _decided(one: CheckedQuantity, p_value: float, fail_if: FailIf) -> CheckedQuantity:
    low, high, mean = one.difference.low, one.difference.high, one.difference.mean
    is_beyond = p_value < LEVEL
    fails = is_beyond and (mean < 0 or fail_if == "different")
    verdict: CheckVerdict = "undecided"
    if fails and mean < 0:
        verdict = "worse"
    elif low is not None and high is not None and low > 0 and (fails or fail_if == "worse"):
        verdict = "better"
    elif low is not None and low >= -one.margin:
        verdict = "no worse"
    return replace(one, p_value=p_value, fails=fails, verdict=verdict)
