"""GEdit-Bench as a judged benchmark."""

from __future__ import annotations

from convergebench.benchmarks.benchmark import AsPublished, JudgedBenchmark
from convergebench.benchmarks.gedit import mini, suite
from convergebench.benchmarks.gedit.published import PUBLISHED
from convergebench.benchmarks.gedit.sums import INTERSECTION, RUBRICS, gedit_table
from convergebench.benchmarks.layouts import ResultFinder

BENCHMARK = JudgedBenchmark(
    name=suite.NAME,
    suites=(suite.SUITE, mini.SUITE),
    rubrics_of=lambda subset: tuple(RUBRICS),
    table=gedit_table,
    published=PUBLISHED,
    results=ResultFinder(
        suite.result_pictures, example="fullset/color_alter/en/KEY.png", case_of=suite.case_of_result
    ),
    as_published=AsPublished(
        part_of=lambda hints: INTERSECTION if hints.get(suite.INTERSECTION) else "", result_like_source=True
    ),
)
