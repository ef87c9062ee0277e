"""Hints of a case that other parts of the program use."""

from __future__ import annotations

from convergebench.suites._picture_files import source_in_cache
from convergebench.types import Case, SourcePicture

REFERENCES = "references"
"""The digests of the case's reference pictures, separated by spaces."""
ENGLISH = "english"
"""The English instruction of a case in another language."""


def references_of(case: Case) -> tuple[SourcePicture, ...]:
    """Pictures of a correct result, for the judge to see; most cases have none."""
    return tuple(map(source_in_cache, case.hints.get(REFERENCES, "").split()))
