"""Categories of users' own edits: whether an edit is of the whole picture follows from its words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache

from convergebench.instructions._whole_picture_words import END, WHOLE_PICTURE
from convergebench.instructions.reversibility import plain
from convergebench.suites.own_edits import OWN, OWN_CATEGORY
from convergebench.types import Case


def whole_picture_category(instruction: str) -> str | None:
    """The built-in category of an edit of the whole picture; None for an edit of one part, and where the
    words leave it open or are not English.

    >>> whole_picture_category("Turn the picture upside down.")
    'geometric'
    >>> whole_picture_category("Hang the picture upside down on the wall.") is None
    True
    """
    text = plain(instruction).lower()
    return next((category for category, words in _patterns().items() if words.match(text)), None)


def with_categories(cases: Sequence[Case]) -> tuple[Case, ...]:
    """The cases, with the categories of users' own edits of the whole picture filled in."""
    return tuple(_filled(case) if OWN in case.hints else case for case in cases)


@cache
def _patterns() -> Mapping[str, re.Pattern[str]]:
    return {category: re.compile(f"(?:{'|'.join(words)}){END}") for category, words in WHOLE_PICTURE.items()}


def _filled(case: Case) -> Case:
    from convergebench.metrics.regions import has_scope  # loads the metrics

    found = None if has_scope(case.category) else whole_picture_category(case.forward)
    if found is None:
        return case
    return replace(case, category=found if case.category == OWN_CATEGORY else f"{case.category}+{found}")
