from __future__ import annotations

import random
from collections import Counter
from itertools import combinations

import pytest

from convergebench.analysis.judged.next_comparison import AdaptiveOrder, PossibleComparison

CASES = 40


def possible(*models: str) -> list[PossibleComparison]:
    return [PossibleComparison(pair, f"case {n}") for pair in combinations(models, 2) for n in range(CASES)]


def chosen(order: AdaptiveOrder, count: int) -> list[int]:
    return [number for _ in range(count) if (number := order.next()) is not None]


def test_every_comparison_is_chosen_once_and_then_none() -> None:
    found = possible("a", "b", "c")
    order = AdaptiveOrder(found)
    assert sorted(chosen(order, len(found))) == list(range(len(found)))
    assert order.next() is None


def test_before_any_result_all_pairs_and_all_cases_are_treated_alike() -> None:
    found = possible("a", "b", "c", "d")
    first = chosen(AdaptiveOrder(found), 2 * CASES)
    pairs, cases = (Counter(getattr(found[n], name) for n in first) for name in ("pair", "case"))
    assert max(pairs.values()) - min(pairs.values()) <= 1
    assert set(cases.values()) == {2}


@pytest.mark.parametrize("at_once", [1, 8])
def test_an_open_contest_gets_more_comparisons_than_a_decided_one(at_once: int) -> None:
    """a and b are equal, c loses against both every time."""
    found = possible("a", "b", "c")
    order, rng, pending = AdaptiveOrder(found), random.Random(0), []
    asked: Counter[tuple[str, ...]] = Counter()
    for _ in range(CASES):
        pending += chosen(order, at_once - len(pending))
        number = pending.pop(0)
        pair = found[number].pair
        asked[pair] += 1
        order.settle(number, float(rng.random() < 0.5) if pair == ("a", "b") else 1.0)
    assert asked["a", "b"] > 2 * max(asked["a", "c"], asked["b", "c"])


def test_a_comparison_without_a_verdict_leaves_the_pair_as_uncertain_as_before() -> None:
    found = possible("a", "b", "c")
    order = AdaptiveOrder(found)
    for _ in range(9):
        for number in chosen(order, 1):
            order.settle(number, None if found[number].pair == ("a", "b") else 0.5)
    (number,) = chosen(order, 1)
    assert found[number].pair == ("a", "b")
