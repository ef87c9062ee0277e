"""The figures used to compare refined edits with primary ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from convergebench.analysis.judged.benchmark_scores import Sample, VerdictRow
from convergebench.analysis.judged.pass_rate import PASSED, passed
from convergebench.analysis.statistics.clustered_mean import UNBOUNDED, Scale


@dataclass(frozen=True)
class Grade:
    """A rubric that grades all categories in the same way, and its name in tables."""

    rubric: str
    title: str
    possible: Scale = UNBOUNDED


@dataclass(frozen=True)
class RefinementFigures:
    """One pass/fail verdict, with a separate rubric for each category, and the additional grades."""

    verdict_rubric: Callable[[str], str]
    """The rubric that decides whether an edit of this category passes."""
    grades: Mapping[str, Grade]
    """By their short names, as in `--grade sc`."""
    categories: tuple[str, ...]
    """In table order; categories that are not listed here follow in alphabetical order."""

    @property
    def grade_titles(self) -> dict[str, str]:
        """By rubric."""
        return {grade.rubric: grade.title for grade in self.grades.values()}

    @property
    def scales(self) -> dict[str, Scale]:
        """Of every figure, by its title."""
        return {PASSED: (0.0, 100.0), **{grade.title: grade.possible for grade in self.grades.values()}}

    def passed(self, rows: Sequence[VerdictRow]) -> dict[Sample, float | str]:
        return passed(rows, self.verdict_rubric)

    def ordered(self, categories: set[str]) -> list[str]:
        known = [category for category in self.categories if category in categories]
        return [*known, *sorted(categories - set(known))]
