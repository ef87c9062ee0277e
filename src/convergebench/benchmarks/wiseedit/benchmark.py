"""WiseEdit as a judged benchmark."""

from __future__ import annotations

from convergebench.benchmarks.benchmark import AsPublished, JudgedBenchmark
from convergebench.benchmarks.layouts import ResultFinder
from convergebench.benchmarks.wiseedit import mini, suite
from convergebench.benchmarks.wiseedit.as_published import verdicts_as_published
from convergebench.benchmarks.wiseedit.published import PUBLISHED
from convergebench.benchmarks.wiseedit.sums import rubrics_of, wiseedit_table

BENCHMARK = JudgedBenchmark(
    name=suite.NAME,
    suites=(suite.SUITE, mini.SUITE),
    rubrics_of=rubrics_of,
    table=wiseedit_table,
    results=ResultFinder(suite.result_pictures, example="Awareness_1/en/1.png"),
    published=PUBLISHED,
    as_published=AsPublished(verdicts_as_published),
)
