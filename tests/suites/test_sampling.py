from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convergebench.errors import WrongUse
from convergebench.suites.sampling import Sampling, balanced, sample, select
from convergebench.types import Case, SourcePicture

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


def case(picture: str, kind: str, pair: str) -> Case:
    source = SourcePicture(picture, Path(picture), digest=picture, kind=kind)
    return Case(f"{picture}/{pair}", (source,), "do", "undo", pair=pair, category=pair[0], kind=kind)


def grid(portraits: int, scenes: int, pairs: int) -> tuple[Case, ...]:
    pictures = [(f"p{n}", "portrait") for n in range(portraits)] + [(f"s{n}", "scene") for n in range(scenes)]
    return tuple(case(picture, kind, f"{kind[0]}{n}") for picture, kind in pictures for n in range(pairs))


CASES = grid(portraits=3, scenes=5, pairs=4)
grids = st.builds(grid, st.integers(1, 6), st.integers(1, 8), st.integers(1, 6))
limits = st.integers(1, 100)


def test_without_filters_everything_stays() -> None:
    assert select(CASES) == CASES


def test_filters_keep_what_has_all_properties() -> None:
    chosen = select(CASES, kinds=["scene"], pairs=["s1", "s2"], pictures=["s0", "s4"])
    assert [c.id for c in chosen] == ["s0/s1", "s0/s2", "s4/s1", "s4/s2"]
    assert {c.kind for c in select(CASES, categories=["p"])} == {"portrait"}


@pytest.mark.parametrize(
    ("filters", "message"),
    [
        ({"kinds": ["portrat"]}, "no kind of picture 'portrat'; did you mean portrait?"),
        ({"categories": ["z"]}, "no category 'z'; choose from p, s"),
        ({"pairs": ["s11"]}, "no edit pair 's11'; did you mean s1?"),
        ({"pictures": ["s0", "p22"]}, "no picture 'p22'; did you mean p2?"),
    ],
)
def test_an_unknown_name_suggests_the_nearest(filters: dict[str, list[str]], message: str) -> None:
    with pytest.raises(WrongUse) as raised:
        select(CASES, **filters)  # type: ignore[arg-type]
    assert message in str(raised.value)


def test_filters_that_exclude_each_other_are_wrong_use() -> None:
    with pytest.raises(WrongUse, match="no case has all of these"):
        select(CASES, kinds=["portrait"], pairs=["s1"])


@pytest.mark.parametrize("limit", [0, -3])
def test_a_limit_below_one_is_wrong_use(limit: int) -> None:
    with pytest.raises(WrongUse, match="give 1 or more"):
        select(CASES, limit=limit)


@given(grids, limits)
def test_a_limit_gives_that_many_in_the_order_they_came(cases: tuple[Case, ...], limit: int) -> None:
    chosen = select(cases, limit=limit)
    assert len(chosen) == min(limit, len(cases))
    assert list(chosen) == [c for c in cases if c in chosen]


@given(grids, limits)
def test_no_picture_gets_a_second_case_before_all_have_one(cases: tuple[Case, ...], limit: int) -> None:
    counts = Counter({c.source.id: 0 for c in cases})
    counts.update(c.source.id for c in select(cases, limit=limit))
    assert max(counts.values()) - min(counts.values()) <= 1


@given(grids, limits)
def test_a_larger_limit_keeps_the_cases_of_a_smaller_one(cases: tuple[Case, ...], limit: int) -> None:
    smaller, larger = ({c.id for c in select(cases, limit=n)} for n in (limit, limit + 1))
    assert smaller <= larger


def test_a_limit_below_the_number_of_pictures_still_has_every_kind_and_several_pairs() -> None:
    chosen = select(CASES, limit=4)
    assert {c.kind for c in chosen} == {"portrait", "scene"}
    assert len({c.pair for c in chosen}) == 4


@pytest.mark.parametrize("limit", [1, 2, 3, 7, len(CASES)])
def test_a_run_takes_the_cases_in_the_order_of_the_limit(limit: int) -> None:
    every = balanced(CASES)
    assert sorted(case.id for case in every) == sorted(case.id for case in CASES)
    assert {case.id for case in every[:limit]} == {case.id for case in select(CASES, limit=limit)}
    assert every[:limit] == balanced(CASES, limit)
