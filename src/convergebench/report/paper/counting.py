"""Counts of models, cases and pictures, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from convergebench.analysis import FailedStep, Results, Return
from convergebench.shown_text import counted


@dataclass(frozen=True)
class Counts:
    cases: str
    pictures: str
    models: str
    """The ranked models, or a statement that there are only floors."""
    editors: str
    floors: str
    editors_and_floors: str
    has_floors: bool
    ranked: int
    picture_count: int


def counts_of(results: Results) -> Counts:
    begun: tuple[Return | FailedStep, ...] = (*results.returns, *results.troubles)
    roles = Counter(results.roles().values())
    counts = [counted(roles[role], role) for role in ("model", "probe") if roles[role]]
    pictures = len({item.picture for item in begun})
    floors = counted(roles["floor"], "floor")
    return Counts(
        cases=counted(len({item.case for item in begun}), "case"),
        pictures=counted(pictures, "source picture"),
        models=listed(counts) or floors,
        editors=listed(counts),
        floors=floors,
        editors_and_floors=listed([*counts, *([floors] if roles["floor"] else [])]),
        has_floors=roles["floor"] > 0,
        ranked=roles["model"] + roles["probe"],
        picture_count=pictures,
    )


def listed(words: Sequence[str]) -> str:
    """
    >>> listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"])
    ('a', 'a and b', 'a, b and c')
    """
    return words[0] if len(words) == 1 else " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))
