"""The colour of a model: the same in every report, since it follows from the model's name."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

COLOURS = 10
"""Colours that can be told apart. More models than that repeat them, with other dashes."""


def colour_slots(names: Iterable[str]) -> dict[str, int]:
    """A different number for every name; its remainder modulo COLOURS is the colour, its quotient the dash.

    A name's first choice depends on nothing else. Where two models of one report have the same first choice,
    the second in alphabetical order takes the next free one.

    >>> slots = colour_slots(["a", "b"])
    >>> colour_slots(["a"])["a"] == slots["a"], len(set(slots.values()))
    (True, 2)
    """
    slots: dict[str, int] = {}
    for name in sorted(names):
        first = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big") % COLOURS
        lap = COLOURS * (len(slots) // COLOURS)
        wanted = (lap + (first + step) % COLOURS for step in range(COLOURS))
        slots[name] = next(slot for slot in wanted if slot not in slots.values())
    return slots
