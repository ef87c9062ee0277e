"""Which question comes next: control questions at fixed shares."""

from __future__ import annotations

import random
from typing import Literal, TypeAlias

Slot: TypeAlias = Literal["new", "repeat", "catch"]
BLOCK = 20
REPEATS_IN_BLOCK = 2
CATCH_TRIALS_IN_BLOCK = 1
"""Of twenty questions, two repeat an earlier one in the other order, and one shows the same picture twice."""


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
