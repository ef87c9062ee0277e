"""RE-Edit as a judged benchmark."""

from __future__ import annotations

from convergebench.benchmarks.benchmark import JudgedBenchmark
from convergebench.benchmarks.reedit import mini, suite
from convergebench.benchmarks.reedit.published import PUBLISHED
from convergebench.benchmarks.reedit.sums import FIGURES, reedit_table, rubrics_of

BENCHMARK = JudgedBenchmark(
    name=suite.NAME,
    suites=(suite.SUITE, mini.SUITE),
    rubrics_of=rubrics_of,
    table=reedit_table,
    refinement=FIGURES,
    published=PUBLISHED,
)
