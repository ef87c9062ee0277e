"""Which two models to compare next, and on which case: the pair whose interval is widest."""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

_Z = 1.959963984540054
PairKey = TypeVar("PairKey", bound=tuple[str, ...])


@dataclass(frozen=True)
class PairTally:
    """The comparisons of two models so far, in the order of their names."""

    votes: int = 0
    won: float = 0.0
    """By the first model; a tie is half a win."""


def interval_width(tally: PairTally) -> float:
    """The width of Wilson's 95 % interval of the share of wins; 1 without votes.

    >>> round(interval_width(PairTally(0)), 2), round(interval_width(PairTally(10, 5.0)), 2)
    (1.0, 0.53)
    """
    n = tally.votes
    if n == 0:
        return 1.0
    share, z2 = tally.won / n, _Z * _Z
    return 2 * _Z / (1 + z2 / n) * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n))


def least_certain(tallies: Mapping[PairKey, PairTally], chance: random.Random) -> PairKey:
    """The pair of models whose interval is widest; equal ones are drawn."""
    widths = {pair: round(interval_width(tally), 9) for pair, tally in tallies.items()}
    widest = max(widths.values())
    return chance.choice(sorted(pair for pair, width in widths.items() if width == widest))


@dataclass(frozen=True)
class PossibleComparison:
    """A comparison that can be asked for."""

    pair: tuple[str, ...]
    """The two models, with what else must not be mixed, such as the rubric."""
    case: str


class AdaptiveOrder:
    """Chooses comparisons by number, given the results of those that were chosen before."""

    def __init__(self, comparisons: Sequence[PossibleComparison]) -> None:
        self._comparisons = comparisons
        self._open: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
        for number, one in enumerate(comparisons):
            self._open[one.pair].append(number)
        self._results: defaultdict[tuple[str, ...], PairTally] = defaultdict(PairTally)
        self._pending: Counter[tuple[str, ...]] = Counter()
        self._on_case: Counter[str] = Counter()

    def take(self, number: int) -> None:
        """Choose this one, whatever its turn."""
        one = self._comparisons[number]
        self._open[one.pair].remove(number)
        self._pending[one.pair] += 1
        self._on_case[one.case] += 1

    def next(self) -> int | None:
        """Of the least certain pair, a case that was compared least; None if all are chosen."""
        tallies = {pair: self._expected(pair) for pair, left in self._open.items() if left}
        if not tallies:
            return None
        chance = random.Random(f"comparison/{self._on_case.total()}")
        left = self._open[least_certain(tallies, chance)]
        fewest = min(self._on_case[self._comparisons[number].case] for number in left)
        chosen = chance.choice(
            [number for number in left if self._on_case[self._comparisons[number].case] == fewest]
        )
        self.take(chosen)
        return chosen

    def settle(self, number: int, won: float | None) -> None:
        """The first model's share of a chosen comparison; None if there is no verdict."""
        pair = self._comparisons[number].pair
        self._pending[pair] -= 1
        if won is not None:
            before = self._results[pair]
            self._results[pair] = PairTally(before.votes + 1, before.won + won)

    def _expected(self, pair: tuple[str, ...]) -> PairTally:
        """The results so far, and pending ones as if they came out the same."""
        found, pending = self._results[pair], self._pending[pair]
        share = found.won / found.votes if found.votes else 0.5
        return PairTally(found.votes + pending, found.won + pending * share)
