"""Some of a benchmark's cases: by subset, sampled, and by how many."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TypeVar

from convergebench.errors import WrongUse, unknown_name

T = TypeVar("T")


@dataclass(frozen=True)
class Sampling:
    """Which cases; those of all subsets unless some are named."""

    subsets: tuple[str, ...] = ()
    per_subset: int | None = None
    """So many of each subset, sampled with the seed."""
    limit: int | None = None
    """At most so many in all, from the subsets in turn."""
    seed: int = 0

    def __post_init__(self) -> None:
        for name, value in (("per-subset sample", self.per_subset), ("limit", self.limit)):
            if value is not None and value < 1:
                raise WrongUse(f"a {name} of {value} leaves no case; give 1 or more.")

    @classmethod
    def of_text(cls, subsets: str, per_subset: str, seed: str) -> Sampling:
        """As settings in a suite's name have it; an empty text is not given."""
        for text in (per_subset or "1", seed):
            if not text.isdigit():
                raise WrongUse(f"{text} is not a whole number; correct the suite's name.")
        names = tuple(name for name in subsets.split(",") if name)
        return cls(names, int(per_subset) if per_subset else None, seed=int(seed))


def sample(entries: Sequence[T], subset_of: Callable[[T], str], choice: Sampling) -> list[T]:
    """The chosen entries, from the subsets in turn, so that the first few show all subsets.

    The sample of a small number is part of that of a larger one with the same seed.
    """
    groups: dict[str, list[T]] = {}
    for entry in entries:
        groups.setdefault(subset_of(entry), []).append(entry)
    for name in choice.subsets:
        if name not in groups:
            raise unknown_name("subset", name, groups)
    kept = [
        _sampled(group, f"{choice.seed}/{name}", choice.per_subset)
        for name, group in groups.items()
        if not choice.subsets or name in choice.subsets
    ]
    in_turn = [entry for turn in zip_longest(*kept) for entry in turn if entry is not None]
    return in_turn[: choice.limit]


def _sampled(group: list[T], seed: str, count: int | None) -> list[T]:
    if count is None or count >= len(group):
        return group
    order = list(range(len(group)))
    random.Random(seed).shuffle(order)
    return [group[place] for place in sorted(order[:count])]
