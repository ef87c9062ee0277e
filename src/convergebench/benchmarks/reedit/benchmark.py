"""RE-Edit as a judged benchmark."""

from __future__ import annotations

from convergebench.benchmarks.benchmark import AsPublished, JudgedBenchmark
from convergebench.benchmarks.layouts import ResultFinder
from convergebench.benchmarks.reedit import mini, suite
from convergebench.benchmarks.reedit.published import PUBLISHED
from convergebench.benchmarks.reedit.sums import FIGURES, reedit_table, rubrics_of, verdicts_as_published

BENCHMARK = JudgedBenchmark(
    name=suite.NAME,
    suites=(suite.SUITE, mini.SUITE),
    rubrics_of=rubrics_of,
    table=reedit_table,
    refinement=FIGURES,
    published=PUBLISHED,
    results=ResultFinder(suite.result_pictures, example="causal/ID_primary.png"),
    as_published=AsPublished(verdicts_as_published),
)
