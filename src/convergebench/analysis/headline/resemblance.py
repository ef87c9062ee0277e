"""Which wear that everybody knows differs as visibly as a model's last returns, such as JPEG at quality 30.

Compared are the medians of ꟻLIP's mean and of its peak. The probes of the workspace come first: they wear
the same pictures; then the scale of JPEG. Where nothing is near in both, nothing is said.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from convergebench.analysis.headline.known_wear import KNOWN_WEAR, Wear
from convergebench.analysis.round_trip.results import Results, Return

NEAR_MEAN, NEAR_PEAK = 1.25, 1.5
"""Factors by which the mean and the peak may differ; local damage has a far higher peak than any wear."""


@dataclass(frozen=True)
class Resemblance:
    """A model's returns at the last round, and the wear that looks most like them."""

    model: str
    round: int
    flip: float
    wear: Wear


def resemblances(results: Results) -> tuple[Resemblance, ...]:
    """For every model whose last returns look like a known wear."""
    roles = results.roles()
    grouped = results.returns_by_round()
    probes = [model for model, role in roles.items() if role == "probe"]
    found = []
    for model in (one for one, role in roles.items() if role == "model"):
        last: Sequence[Return] = grouped.get((model, results.rounds), ())
        seen = _wear_of(model, last)
        if seen is None:
            continue
        cases = {item.case for item in last}
        worn = [wear for probe in probes for wear in _rounds_of(probe, grouped, cases, results.rounds)]
        nearest = _nearest(seen, worn) or _nearest(seen, KNOWN_WEAR)
        if nearest is not None:
            found.append(Resemblance(model, results.rounds, seen.flip, nearest))
    return tuple(found)


def _rounds_of(
    probe: str, grouped: Mapping[tuple[str, int], Sequence[Return]], cases: set[str], rounds: int
) -> Iterator[Wear]:
    """The probe at each round, on these cases; rounds that lack one of them are left out."""
    for number in range(1, rounds + 1):
        at = [item for item in grouped.get((probe, number), ()) if item.case in cases]
        wear = _wear_of(f"{probe} after {number} {'round' if number == 1 else 'rounds'}", at)
        if wear is not None and {item.case for item in at} == cases:
            yield wear


def _wear_of(label: str, returns: Sequence[Return]) -> Wear | None:
    """The medians over returns; None if none is measured, or nothing differs."""
    values = [(item.values.get("flip"), item.values.get("flip_peak")) for item in returns]
    pairs = [
        (mean.value, peak.value)
        for mean, peak in values
        if mean is not None and peak is not None and mean.value is not None and peak.value is not None
    ]
    if not pairs:
        return None
    flip, peak = (median(column) for column in zip(*pairs, strict=True))
    return Wear(label, flip, peak) if flip > 0 and peak > 0 else None


def _nearest(seen: Wear, scale: Sequence[Wear]) -> Wear | None:
    """The wear with the nearest mean, unless its mean or its peak is too far: the next one is no answer."""

    def distance(wear: Wear) -> float:
        return abs(math.log(wear.flip / seen.flip))

    nearest = min(scale, key=distance, default=None)
    if nearest is None or distance(nearest) > math.log(NEAR_MEAN):
        return None
    return nearest if abs(math.log(nearest.peak / seen.peak)) <= math.log(NEAR_PEAK) else None
