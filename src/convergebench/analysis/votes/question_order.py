"""Which question comes next: control questions at fixed shares, else the least certain pair of models."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

Slot: TypeAlias = Literal["new", "repeat", "catch"]
BLOCK = 20
REPEATS_IN_BLOCK = 2
CATCH_TRIALS_IN_BLOCK = 1
"""Of twenty questions, two repeat an earlier one in the other order, and one shows the same picture twice."""
_Z = 1.959963984540054


@dataclass(frozen=True)
class PairTally:
    """The votes on two models so far, in the order of their names."""

    votes: int = 0
    won: float = 0.0
    """By the first model; a tie is half a win."""


def slot_of(rater: str, number: int) -> Slot:
    """What the rater's question of this number (from 0) is. The shares hold in every block of questions.

    Control questions never come first: there is nothing to repeat yet.
    """
    chosen = random.Random(f"slots/{rater}/{number // BLOCK}").sample(
        range(BLOCK // 4, BLOCK), REPEATS_IN_BLOCK + CATCH_TRIALS_IN_BLOCK
    )
    place = number % BLOCK
    if place in chosen[:CATCH_TRIALS_IN_BLOCK]:
        return "catch"
    return "repeat" if place in chosen else "new"


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


def least_certain(tallies: Mapping[tuple[str, str], PairTally], chance: random.Random) -> tuple[str, str]:
    """The pair of models whose interval is widest; equal ones are drawn."""
    widths = {pair: round(interval_width(tally), 9) for pair, tally in tallies.items()}
    widest = max(widths.values())
    return chance.choice(sorted(pair for pair, width in widths.items() if width == widest))
