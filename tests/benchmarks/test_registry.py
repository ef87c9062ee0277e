"""A judged benchmark is one object, and everybody finds the same ones."""

from __future__ import annotations

import pytest

from convergebench import suites
from convergebench.benchmarks.registry import (
    benchmark_of,
    benchmarks_by_suite,
    find_benchmark,
    refinement_benchmark,
)
from convergebench.errors import WrongUse
from convergebench.judges import rubric


def test_every_suite_of_a_benchmark_is_a_suite_that_can_be_run() -> None:
    assert set(benchmarks_by_suite()) <= set(suites.names())
    assert {one.name for one in benchmarks_by_suite().values()} == {
        "gedit", "reedit", "wiseedit", "ImgEdit", "single-edit sets",
    }  # fmt: skip


@pytest.mark.parametrize("name", [name for name in benchmarks_by_suite() if name.endswith("-mini")])
def test_the_rubrics_of_every_subset_judge_single_edits(
    name: str, tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONVERGEBENCH_CACHE", str(tmp_path))
    benchmark = benchmark_of(name)
    loaded = benchmark.load(name)
    assert {case.id for case in loaded.cases} <= benchmark.case_ids(name)
    for subset in {case.category for case in loaded.cases}:
        assert {rubric(one).of for one in benchmark.rubrics_of(subset)} == {"edit"}


def test_a_suite_without_judged_scores_is_answered_with_those_that_have_them() -> None:
    assert find_benchmark("converge@1") is None
    with pytest.raises(WrongUse, match="converge has no judged scores; choose from gedit, gedit-mini"):
        benchmark_of("converge@1")


@pytest.mark.parametrize("suite", ["reedit-mini@1", "gedit@en-1", "pictures@1"])
def test_refined_edits_are_judged_by_re_edits_figures_where_a_benchmark_has_none(suite: str) -> None:
    assert refinement_benchmark(suite).name == "reedit"


@pytest.mark.parametrize("name", ["reedit", "wiseedit"])
def test_data_that_must_be_named_are_asked_for(name: str) -> None:
    with pytest.raises(WrongUse, match=r"--data, or as in (re|wise)edit\?data="):
        benchmark_of(name).load(name)
