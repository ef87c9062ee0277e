"""GEdit-Bench as a judged benchmark."""

from __future__ import annotations

from convergebench.benchmarks.benchmark import JudgedBenchmark
from convergebench.benchmarks.gedit import mini, suite
from convergebench.benchmarks.gedit.published import PUBLISHED
from convergebench.benchmarks.gedit.sums import RUBRICS, gedit_table

BENCHMARK = JudgedBenchmark(
    name=suite.NAME,
    suites=(suite.SUITE, mini.SUITE),
    rubrics_of=lambda subset: tuple(RUBRICS),
    table=gedit_table,
    published=PUBLISHED,
)
