from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convergebench.errors import WrongUse
from convergebench.suites.sampling import Sampling, sample

ENTRIES = [(subset, number) for subset in ("add", "remove", "tone") for number in range(20)]


def subset_of(entry: tuple[str, int]) -> str:
    return entry[0]


def test_subsets_come_in_turn_so_that_a_small_limit_shows_them_all() -> None:
    assert sample(ENTRIES, subset_of, Sampling(limit=4)) == [
        ("add", 0),
        ("remove", 0),
        ("tone", 0),
        ("add", 1),
    ]


@given(seed=st.integers(0, 1000), few=st.integers(1, 10), more=st.integers(10, 20))
def test_a_small_sample_is_part_of_a_larger_one(seed: int, few: int, more: int) -> None:
    small = sample(ENTRIES, subset_of, Sampling(per_subset=few, seed=seed))
    large = sample(ENTRIES, subset_of, Sampling(per_subset=more, seed=seed))
    assert set(small) <= set(large)
    assert set(Counter(map(subset_of, small)).values()) == {few}


def test_another_seed_gives_another_sample_and_the_same_one_the_same() -> None:
    samples = [sample(ENTRIES, subset_of, Sampling(per_subset=5, seed=seed)) for seed in (1, 1, 2)]
    assert samples[0] == samples[1] != samples[2]


def test_the_sample_of_a_subset_does_not_depend_on_the_others() -> None:
    alone = sample(ENTRIES, subset_of, Sampling(("tone",), per_subset=5))
    beside = sample(ENTRIES, subset_of, Sampling(per_subset=5))
    assert alone == [entry for entry in beside if entry[0] == "tone"]


def test_an_unknown_subset_suggests_the_nearest() -> None:
    with pytest.raises(WrongUse, match=r"did you mean remove\?"):
        sample(ENTRIES, subset_of, Sampling(("remov",)))


@pytest.mark.parametrize("wrong", [{"limit": 0}, {"per_subset": -1}])
def test_a_number_that_leaves_nothing_is_wrong_use(wrong: dict[str, int]) -> None:
    with pytest.raises(WrongUse, match="leaves no case"):
        Sampling(**wrong)  # type: ignore[arg-type]
