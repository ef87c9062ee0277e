"""What a judged benchmark is: suites of single edits, the rubrics they are judged by, and the figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from convergebench.analysis.judged.benchmark_scores import BenchmarkRow, VerdictRow
from convergebench.analysis.refinement.figures import RefinementFigures
from convergebench.benchmarks.layouts import ResultFinder
from convergebench.benchmarks.wording import PublishedRubrics
from convergebench.suites import SuiteInfo
from convergebench.suites.sampling import EVERY_CASE, Sampling
from convergebench.types import Suite, SuiteId


@dataclass(frozen=True)
class AsPublished:
    """What `--as-published` does for one benchmark."""

    verdicts: Callable[[Sequence[VerdictRow]], list[VerdictRow]] = list
    """The verdicts with its treatment of missing ones."""
    part_of: Callable[[Mapping[str, str]], str] = lambda hints: ""
    """From a case's hints, the part of the suite over which there is a further table."""
    result_like_source: bool = False
    """Whether results are resized to the source's size before they are judged."""


@dataclass(frozen=True)
class JudgedBenchmark:
    """Everything that is particular to one benchmark.

    Its rubrics are the files `rubrics/*.toml` beside the module that defines it. Reference pictures and
    English instructions are hints of its cases (`convergebench.suites.case_hints`).
    """

    name: str
    suites: tuple[SuiteInfo, ...]
    """The published data, and small suites in the same form."""
    rubrics_of: Callable[[str], Sequence[str]]
    """The ids of the rubrics that judge a subset's edits."""
    table: Callable[[str, Sequence[VerdictRow]], list[BenchmarkRow]]
    """The benchmark's figures from a suite's name and its verdicts."""
    compared_by: Callable[[str], Sequence[str]] = lambda suite: ("better_edit",)
    """The ids of the rubrics by which two models' edits of a suite are compared."""
    results: ResultFinder | None = None
    """How `score FOLDER` finds results that its own programs wrote; None if it takes lists only."""
    refinement: RefinementFigures | None = None
    """In which figures refined edits are compared with primary ones; RE-Edit's if there are none."""
    published: PublishedRubrics | None = None
    """How its published wording is read from a copy of its repository; None if it cannot be."""
    as_published: AsPublished | None = None
    """How its own programs treat missing data and pictures; None if nothing is known of that."""

    def load(self, suite: str, data: str = "", language: str = "", sampling: Sampling = EVERY_CASE) -> Suite:
        """The chosen cases of one of its suites; empty texts mean the default."""
        info = self._info(suite)
        texts = {name: text for name, text in (("data", data), ("language", language)) if text}
        settings: dict[str, Any] = {**texts, "sampling": sampling}
        return info.load(lambda _: None, **{k: v for k, v in settings.items() if k in info.parameters})

    def case_ids(self, suite: str, data: str = "", language: str = "") -> frozenset[str]:
        """The ids of all cases of one of its suites."""
        ids_of = self._info(suite).case_ids
        if ids_of is not None:
            return ids_of(data, language)
        return frozenset(case.id for case in self.load(suite, data, language).cases)

    def _info(self, suite: str) -> SuiteInfo:
        return next(one for one in self.suites if one.name == SuiteId(suite).name)
