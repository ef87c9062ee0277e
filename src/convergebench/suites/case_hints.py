"""Hints of a case that other parts of the program use."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

from convergebench.suites._picture_files import source_in_cache
from convergebench.types import Case, SourcePicture
from convergebench.types.picture_hints import MASKS, REFERENCES, TARGETS, digests_hint, digests_of

__all__ = [
    "CAPTIONS",
    "ENGLISH",
    "MASKS",
    "REFERENCES",
    "TARGETS",
    "TASKS",
    "caption_of",
    "digests_hint",
    "digests_of",
    "references_of",
    "tasks_of",
    "with_tasks",
]

ENGLISH = "english"
"""The English instruction of a case in another language."""

TASKS = "tasks"
"""The types of edit of a session's turns, separated by `|`."""
CAPTIONS = "captions"
"""What correct results of the turns show, in words, as a JSON list; empty for a turn without one."""


def with_tasks(case: Case) -> Case:
    """The case with the types and captions of its turns as hints, so that they are stored with it."""
    hints = {**case.hints, TASKS: "|".join(turn.task for turn in case.turns)}
    if any(turn.caption for turn in case.turns):
        hints[CAPTIONS] = json.dumps([turn.caption for turn in case.turns], ensure_ascii=False)
    return replace(case, hints=hints)


def caption_of(hints: Mapping[str, str], turn: int) -> str:
    """
    >>> caption_of({"captions": '["", "a hat"]'}, 2), caption_of({}, 2)
    ('a hat', '')
    """
    captions = json.loads(hints.get(CAPTIONS, "[]"))
    return str(captions[turn - 1]) if turn <= len(captions) else ""


def tasks_of(hints: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(hints.get(TASKS, "").split("|"))


def references_of(case: Case) -> tuple[SourcePicture, ...]:
    """Pictures of a correct result, for the judge to see; most cases have none."""
    return tuple(map(source_in_cache, case.hints.get(REFERENCES, "").split()))
