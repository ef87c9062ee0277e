"""Some of a suite's cases: by what they are, and by how many."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest

from convergebench.errors import WrongUse, unknown_name
from convergebench.types import Case

_GOLDEN = 0.618
"""Steps of this share of a list land far from each other, however many are taken."""


def select(
    cases: Sequence[Case],
    *,
    kinds: Sequence[str] = (),
    categories: Sequence[str] = (),
    pairs: Sequence[str] = (),
    pictures: Sequence[str] = (),
    limit: int | None = None,
) -> tuple[Case, ...]:
    """The cases that have one of each given property, in the order they came; none given means all.

    A limit takes from all pictures in turn, from each kind in proportion and with different edits, so that
    few cases still show a suite's breadth. The cases of a small limit are among those of a larger one.
    """
    chosen = tuple(cases)
    for what, wanted, value_of in (
        ("kind of picture", kinds, lambda case: case.kind),
        ("category", categories, lambda case: case.category),
        ("edit pair", pairs, lambda case: case.pair),
        ("picture", pictures, lambda case: case.source.id),
    ):
        chosen = _having(chosen, what, wanted, value_of, cases)
    if not chosen:
        raise WrongUse("no case has all of these properties at once; leave one of the filters out.")
    if limit is None:
        return chosen
    if limit < 1:
        raise WrongUse(f"a limit of {limit} leaves no case; give 1 or more.")
    return _spread(chosen, limit)


def _having(
    chosen: tuple[Case, ...],
    what: str,
    wanted: Sequence[str],
    value_of: Callable[[Case], str],
    all_cases: Sequence[Case],
) -> tuple[Case, ...]:
    known = {value_of(case) for case in all_cases}
    for name in wanted:
        if name not in known:
            raise unknown_name(what, name, known)
    return tuple(case for case in chosen if value_of(case) in wanted) if wanted else chosen


def _spread(cases: tuple[Case, ...], limit: int) -> tuple[Case, ...]:
    hands = (_turned(of_picture, rank) for rank, of_picture in _pictures_in_turn(cases))
    in_turn = [case for turn in zip_longest(*hands) for case in turn if case is not None]
    taken = {case.id for case in in_turn[:limit]}
    return tuple(case for case in cases if case.id in taken)


def _pictures_in_turn(cases: tuple[Case, ...]) -> list[tuple[int, list[Case]]]:
    """Each picture's cases with its rank among its kind, kinds mixed in proportion to their size."""
    by_kind: dict[str, dict[str, list[Case]]] = {}
    for case in cases:
        by_kind.setdefault(case.kind, {}).setdefault(case.source.id, []).append(case)
    placed = [
        ((rank + 0.5) / len(of_kind), rank, of_picture)
        for of_kind in by_kind.values()
        for rank, of_picture in enumerate(of_kind.values())
    ]
    return [(rank, of_picture) for _, rank, of_picture in sorted(placed, key=lambda entry: entry[0])]


def _turned(cases: list[Case], rank: int) -> list[Case]:
    """The same cases, starting elsewhere for each picture, so that one turn shows many edits."""
    start = rank * max(1, round(_GOLDEN * len(cases))) % len(cases)
    return cases[start:] + cases[:start]
