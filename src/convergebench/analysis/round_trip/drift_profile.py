"""The drift profile of a model: how its pictures decay, round by round, in numbers and in a sentence.

A typical size is a median, reported with the number of chains in which the drift is noticeable. A few chains
that drifted differently are thus reported as few, and do not change the typical size.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median, median_low

from convergebench.analysis.round_trip.drift_kinds import (
    DRIFT_KINDS,
    DriftKind,
    Group,
    drift_amounts,
    most_noticed,
    sizes_of,
)
from convergebench.analysis.round_trip.local_changes import Values, VisibleChange, is_broken, visible_changes
from convergebench.analysis.round_trip.measurement_columns import MeasuredPair
from convergebench.analysis.round_trip.results import Results, Return
from convergebench.analysis.round_trip.return_table import ReturnTable
from convergebench.errors import WrongUse
from convergebench.types import Measurement

HELD: Mapping[Group, str] = {"place": "no shift", "colour": "colour held", "detail": "detail held"}
REFRAMED = ("shift", "zoom")
_WAYS: Mapping[Group, frozenset[str]] = {
    group: frozenset(way.name for way in DRIFT_KINDS if way.group == group) for group in HELD
}
_MINORITY = 0.25
"""If more than this share of the noticeable drifts has the other sign, the drift has no direction."""
_WORTH_A_WORD = 0.1
"""A drift that is noticeable in a smaller share of the returns is counted, but not named."""


@dataclass(frozen=True)
class Drift:
    """One kind of drift over several returns."""

    way: DriftKind
    amount: float
    """Signed median: over all returns if the drift is noticeable in most, otherwise over those in which it
    is. If it has no direction, the median size with the sign of the signed one."""
    noticed: float
    """The median size, in just noticeable amounts: below 1, it is not noticeable in most returns."""
    either_way: bool
    """Whether the drift has no direction: a considerable part of the noticeable drifts has the other sign."""
    noticing: int
    """Number of returns in which it is noticeable."""
    n: int
    values: Values
    """Medians of the measurements of the returns in which it is noticeable, or of all returns if there are
    none."""

    @property
    def is_typical(self) -> bool:
        return self.noticed >= 1

    @property
    def words(self) -> str:
        words = self.way.words_either_way if self.either_way else self.way.words
        return words(self.amount, self.values)

    @property
    def is_named(self) -> bool:
        return self.is_typical or 0 < self.noticing >= _WORTH_A_WORD * self.n

    @property
    def words_with_count(self) -> str:
        return self.words if self.noticing == self.n else f"{self.words} in {self.noticing} of {self.n}"


@dataclass(frozen=True)
class ChangedCount:
    """The number of returns with a measurement, and of those that changed."""

    changed: int
    n: int


@dataclass(frozen=True)
class RoundProfile:
    """The drifts of the returns of one round, without the kinds that could not be measured."""

    round: int
    drifts: Mapping[str, Drift]
    groups: Mapping[Group, ChangedCount]
    """Returns in which a drift of the group is noticeable or, for colour and detail, the difference map shows
    global damage. The aspect ratio alone does not count as a measurement of geometry."""
    reframed: ChangedCount
    """Returns with a noticeable shift or zoom."""
    visible: tuple[VisibleChange, ...]

    @property
    def leading(self) -> str | None:
        """The most noticeable kind of drift, or None if none is noticeable in most returns."""
        return most_noticed({name: drift.noticed for name, drift in self.drifts.items()})

    @property
    def sentence(self) -> str:
        """A sentence: typical drifts, drifts of a few returns, other changes on the map, and what is
        preserved."""
        held = list(self._held())
        if held and any(one.name != "visibly changed" for one in self.visible):
            held[0] = f"elsewhere {held[0]}"
        seen = (*self._typical(), *self._of_a_few(), *(one.words for one in self.visible))
        return f"by round {self.round}: {', '.join([*seen, *held])}"

    def _typical(self) -> Iterator[str]:
        typical = [drift for drift in self.drifts.values() if drift.is_typical]
        for drift in sorted(typical, key=lambda drift: -drift.noticed):
            yield drift.words_with_count

    def _of_a_few(self) -> Iterator[str]:
        if self._were_few_reframed:
            yield f"{self.reframed.changed} of {self.reframed.n} reframed"
        few = [drift for drift in self.drifts.values() if drift.is_named and not drift.is_typical]
        for drift in sorted(few, key=lambda drift: -drift.noticing / drift.n):
            if not (self._were_few_reframed and drift.way.name in REFRAMED):
                yield drift.words_with_count

    @property
    def _were_few_reframed(self) -> bool:
        """Empty if most returns were reframed: then shift and zoom say by how much."""
        placed = [self.drifts[name] for name in REFRAMED if name in self.drifts]
        return self.reframed.changed > 0 and not any(drift.is_typical for drift in placed)

    def _held(self) -> Iterator[str]:
        for group, words in HELD.items():
            if group not in self.groups:
                yield f"{group} not measurable"
                continue
            count = self.groups[group]
            is_told = any(drift.is_named for drift in self.drifts.values() if drift.way.group == group)
            if is_told or 2 * count.changed > count.n or (group == "place" and count.changed):
                continue
            yield f"{words} in {count.n - count.changed} of {count.n}" if count.changed else words


def drift_profile(results: Results, model: str) -> tuple[RoundProfile, ...]:
    """A model's drift profile at every round that has a return with drift values."""
    if model not in results.roles():
        known = ", ".join(results.roles())
        raise WrongUse(f"there is no model {model} in these results; choose one of: {known}")
    grouped, nothing = results.returns_by_round(), ReturnTable.of(())
    returns = {number: grouped.get((model, number), nothing) for number in range(1, results.rounds + 1)}
    rounds = (
        profile_of(number, [numbers_of(values) for values in mine.values])
        for number, mine in returns.items()
        if has_drifts(mine)
    )
    return tuple(one for one in rounds if one.drifts)


def has_drifts(returns: ReturnTable) -> bool:
    """Whether any kind of drift can have been measured."""
    return any(all(map(returns.has, way.needs)) for way in DRIFT_KINDS)


def values_of(returned: Return) -> dict[str, float]:
    """The measured values of a return."""
    return numbers_of(returned.values)


def numbers_of(measured: Mapping[str, Measurement]) -> dict[str, float]:
    """The measurements that have a value."""
    if isinstance(measured, MeasuredPair):
        return measured.numbers()
    return {name: one.value for name, one in measured.items() if one.value is not None}


def profile_of(number: int, returns: Sequence[Values]) -> RoundProfile:
    """The profile of one round, from the values of its returns."""
    amounts = [drift_amounts(values) for values in returns]
    drifts = {}
    for way in DRIFT_KINDS:
        measured = [
            (one[way.name], values) for one, values in zip(amounts, returns, strict=True) if way.name in one
        ]
        if measured:
            drifts[way.name] = _drift(way, measured)
    noticed = [{name for name, size in sizes_of(one).items() if size >= 1} for one in amounts]
    known = [set(one) for one in amounts]
    broken = [
        is_broken(values, is_moved=bool(found & _WAYS["place"]))
        for values, found in zip(returns, noticed, strict=True)
    ]
    groups = {
        group: _changed(ways, known, noticed, broken if group != "place" else [False] * len(broken))
        for group, ways in _WAYS.items()
        if any(ways & found - {"aspect"} for found in known)
    }
    unexplained = [
        values for values, found, is_so in zip(returns, noticed, broken, strict=True) if is_so and not found
    ]
    reframed = _changed(frozenset(REFRAMED), known, noticed, [False] * len(broken))
    return RoundProfile(number, drifts, groups, reframed, visible_changes(returns, unexplained))


def _changed(
    ways: frozenset[str], known: Sequence[set[str]], noticed: Sequence[set[str]], broken: Sequence[bool]
) -> ChangedCount:
    mine = [
        bool(found & ways) or is_broken
        for there, found, is_broken in zip(known, noticed, broken, strict=True)
        if there & ways - {"aspect"}
    ]
    return ChangedCount(sum(mine), len(mine))


def _drift(way: DriftKind, measured: Sequence[tuple[float, Values]]) -> Drift:
    amounts = [amount for amount, _ in measured]
    noticing = [(amount, values) for amount, values in measured if abs(amount) >= way.noticeable]
    size = median_low(map(abs, amounts))
    is_typical = size >= way.noticeable
    counted = amounts if is_typical or not noticing else [amount for amount, _ in noticing]
    upwards = sum(amount > 0 for amount, _ in noticing)
    either_way = min(upwards, len(noticing) - upwards) > _MINORITY * len(noticing)
    middle = median(counted)
    return Drift(
        way,
        amount=math.copysign(median(map(abs, counted)), middle) if either_way else middle,
        noticed=size / way.noticeable,
        either_way=either_way,
        noticing=len(noticing),
        n=len(amounts),
        values=_medians([values for _, values in noticing or measured]),
    )


def _medians(returns: Sequence[Values]) -> Values:
    names = dict.fromkeys(name for values in returns for name in values)
    return {name: median(values[name] for values in returns if name in values) for name in names}
