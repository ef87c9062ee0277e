"""The sets of single edits as a judged benchmark: by the same rubric, with the same table."""

from __future__ import annotations

from collections.abc import Sequence

from convergebench.analysis.judged.benchmark_scores import (
    NO_SUBSET,
    BenchmarkRow,
    Sample,
    VerdictRow,
    benchmark_row,
    mean_of_means,
    sample_mean,
    scores_of,
)
from convergebench.analysis.statistics.clustered_mean import Interval
from convergebench.benchmarks import (
    imgedit_wording,
    set_gedit2,
    set_genai_bench,
    set_imgedit,
    set_kontext_bench,
    set_kris,
    set_minis,
    set_rise,
)
from convergebench.benchmarks.benchmark import JudgedBenchmark
from convergebench.benchmarks.wording import PublishedRubrics
from convergebench.suites import SuiteInfo
from convergebench.types import SuiteId

RUBRIC = "edit_grades"
GRADE = "grade from 1 to 5"
_SCALE = (1.0, 5.0)
DIMENSIONS = ("better_following", "better_consistency", "better_quality")
"""GEdit-Bench v2 compares two edits in these three respects, each by itself."""
SAMPLE_MEAN, MACRO_MEAN = "OVERALL (sample mean)", "OVERALL (macro mean)"


def single_edit_table(suite: str, rows: Sequence[VerdictRow]) -> list[BenchmarkRow]:
    """A line for each model and type of edit, and two for all types together."""
    table = []
    for model, language in dict.fromkeys((row.model, row.language) for row in rows):
        own = [row for row in rows if (row.model, row.language) == (model, language)]
        scores = scores_of(own, RUBRIC)
        subsets: dict[str, dict[Sample, float | str]] = {}
        for sample, score in scores.items():
            if sample.subset != NO_SUBSET:
                subsets.setdefault(sample.subset, {})[sample] = score
        lines: list[tuple[str, dict[Sample, float | str], Interval | None]] = [
            *((name, of, sample_mean(of, _SCALE)) for name, of in sorted(subsets.items())),
            (SAMPLE_MEAN, scores, sample_mean(scores, _SCALE)),
            (MACRO_MEAN, scores, mean_of_means(list(subsets.values()), _SCALE)),
        ]
        table += [benchmark_row(model, suite, language, GRADE, name, of, mean) for name, of, mean in lines]
    return table


def _benchmark(name: str, *suites: SuiteInfo, published: PublishedRubrics | None = None) -> JudgedBenchmark:
    return JudgedBenchmark(
        name=name,
        suites=suites,
        rubrics_of=lambda subset: (RUBRIC,),
        compared_by=lambda suite: DIMENSIONS if SuiteId(suite).name == set_gedit2.NAME else ("better_edit",),
        table=single_edit_table,
        published=published,
    )


BENCHMARKS = (
    _benchmark(
        "ImgEdit",
        set_imgedit.SUITES[0],
        next(one for one in set_minis.SUITES if one.name == "imgedit-mini"),
        published=imgedit_wording.PUBLISHED,
    ),
    _benchmark(
        "single-edit sets",
        set_imgedit.SUITES[1],
        set_kontext_bench.SUITE,
        set_gedit2.SUITE,
        set_kris.SUITE,
        set_rise.SUITE,
        set_genai_bench.SUITE,
    ),
)
