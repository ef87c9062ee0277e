"""Selection of a suite's cases: a sample of each subset, or cases with given properties, spread over the
suite."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TypeVar

from convergebench.errors import WrongUse, unknown_name
from convergebench.types import Case

T = TypeVar("T")

_GOLDEN = 0.618
"""Steps of this fraction of a list are far apart, for any number of steps."""


@dataclass(frozen=True)
class Sampling:
    """The selection of a benchmark's cases, from all subsets unless some are named."""

    subsets: tuple[str, ...] = ()
    per_subset: int | None = None
    """Number of cases from each subset, sampled with the seed."""
    limit: int | None = None
    """Maximum number of cases, taken from the subsets in turn."""
    seed: int = 0
    first_per_subset: int | None = None
    """The first cases of each subset, as EvalScope's `limit` takes them."""

    def __post_init__(self) -> None:
        for name, value in (
            ("per-subset sample", self.per_subset), ("limit", self.limit),
            ("limit per subset", self.first_per_subset),
        ):  # fmt: skip
            if value is not None and value < 1:
                raise WrongUse(f"a {name} of {value} leaves no case; give 1 or more.")

    @classmethod
    def of_text(cls, subset: str = "", per_subset: str = "", sampling_seed: str = "0") -> Sampling:
        """From the settings in a suite's name, as in gedit?subset=…,…&per_subset=5&sampling_seed=1."""
        for text in (per_subset or "1", sampling_seed):
            if not text.isdigit():
                raise WrongUse(f"{text} is not a whole number; correct the suite's name.")
        names = tuple(name for name in subset.split(",") if name)
        return cls(names, int(per_subset) if per_subset else None, seed=int(sampling_seed))


SETTINGS = ("subset", "per_subset", "sampling_seed")
"""The keyword arguments of `Sampling.of_text`."""
EVERY_CASE = Sampling()


def sample(entries: Sequence[T], subset_of: Callable[[T], str], sampling: Sampling) -> list[T]:
    """The chosen entries, from the subsets in turn, so that the first few show all subsets.

    A smaller sample is part of a larger one with the same seed.
    """
    groups: dict[str, list[T]] = {}
    for entry in entries:
        groups.setdefault(subset_of(entry), []).append(entry)
    for name in sampling.subsets:
        if name not in groups:
            raise unknown_name("subset", name, groups)
    samples = [
        _sample_of_group(group[: sampling.first_per_subset], f"{sampling.seed}/{name}", sampling.per_subset)
        for name, group in groups.items()
        if not sampling.subsets or name in sampling.subsets
    ]
    return _in_turn(samples)[: sampling.limit]


def select(
    cases: Sequence[Case],
    *,
    kinds: Sequence[str] = (),
    categories: Sequence[str] = (),
    pairs: Sequence[str] = (),
    pictures: Sequence[str] = (),
    limit: int | None = None,
) -> tuple[Case, ...]:
    """The cases that match each given property, in suite order; without properties, all cases. A case of
    several categories, joined by `+`, is one of each.

    A limit takes cases from all pictures in turn, from each kind in proportion and with different edits, so
    that a few cases still cover the suite. The cases of a smaller limit are part of a larger one.
    """
    properties: tuple[tuple[str, Sequence[str], Callable[[Case], Sequence[str]]], ...] = (
        ("kind of picture", kinds, lambda case: (case.kind,)),
        ("category", categories, lambda case: (case.category, *case.category.split("+"))),
        ("edit pair", pairs, lambda case: (case.pair,)),
        ("picture", pictures, lambda case: (case.source.id,)),
    )
    selected = tuple(cases)
    for what, wanted, values_of in properties:
        known = {value for case in cases for value in values_of(case)}
        for name in wanted:
            if name not in known:
                raise unknown_name(what, name, known)
        if wanted:
            selected = tuple(case for case in selected if not set(wanted).isdisjoint(values_of(case)))
    if not selected:
        raise WrongUse("no case has all of these properties at once; leave one of the filters out.")
    if limit is None:
        return selected
    chosen = {case.id for case in balanced(selected, limit)}
    return tuple(case for case in selected if case.id in chosen)


def balanced(cases: Sequence[Case], limit: int | None = None) -> tuple[Case, ...]:
    """The cases in the order in which a limit takes them, all or the first ones.

    Every beginning is a balanced sample, so a run in this order can stop anywhere.
    """
    if limit is not None and limit < 1:
        raise WrongUse(f"a limit of {limit} leaves no case; give 1 or more.")
    by_picture = [_rotated(group, rank) for rank, group in _pictures_by_kind(tuple(cases))]
    return tuple(_in_turn(by_picture)[:limit])


def _sample_of_group(group: list[T], seed: str, count: int | None) -> list[T]:
    if count is None or count >= len(group):
        return group
    order = list(range(len(group)))
    random.Random(seed).shuffle(order)
    return [group[place] for place in sorted(order[:count])]


def _in_turn(groups: Sequence[Sequence[T]]) -> list[T]:
    """The first of each group, then the second of each, and so on."""
    return [entry for turn in zip_longest(*groups) for entry in turn if entry is not None]


def _pictures_by_kind(cases: tuple[Case, ...]) -> list[tuple[int, list[Case]]]:
    """Each picture's cases with its rank among its kind, kinds mixed in proportion to their size."""
    by_kind: dict[str, dict[str, list[Case]]] = {}
    for case in cases:
        by_kind.setdefault(case.kind, {}).setdefault(case.source.id, []).append(case)
    ranked = [
        ((rank + 0.5) / len(pictures), rank, group)
        for pictures in by_kind.values()
        for rank, group in enumerate(pictures.values())
    ]
    return [(rank, group) for _, rank, group in sorted(ranked, key=lambda entry: entry[0])]


def _rotated(cases: list[Case], rank: int) -> list[Case]:
    """The same cases, rotated differently for each picture, so that one turn covers many edits."""
    start = rank * max(1, round(_GOLDEN * len(cases))) % len(cases)
    return cases[start:] + cases[:start]
