"""Hints of a case that other parts of the program use."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

from convergebench.suites._picture_files import source_in_cache
from convergebench.types import Case, Digest, SourcePicture

REFERENCES = "references"
"""The digests of the case's reference pictures, separated by spaces."""
ENGLISH = "english"
"""The English instruction of a case in another language."""

TASKS = "tasks"
"""The types of edit of a session's turns, separated by `|`."""
TARGETS, MASKS = "targets", "masks"
"""The digests of the turns' targets and masks, separated by spaces; `-` for a turn without one."""
CAPTIONS = "captions"
"""What correct results of the turns show, in words, as a JSON list; empty for a turn without one."""
_NONE = "-"


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


def digests_hint(pictures: Mapping[int, Digest], turns: int) -> str:
    """The digests of some turns' pictures, by turn counted from 1, as a hint."""
    return " ".join(pictures.get(turn, _NONE) for turn in range(1, turns + 1))


def digests_of(hints: Mapping[str, str], name: str) -> dict[int, Digest]:
    """
    >>> digests_of({"masks": "- 1f 2e"}, "masks")
    {2: '1f', 3: '2e'}
    """
    listed = enumerate(hints.get(name, "").split(), start=1)
    return {turn: digest for turn, digest in listed if digest != _NONE}


def references_of(case: Case) -> tuple[SourcePicture, ...]:
    """Pictures of a correct result, for the judge to see; most cases have none."""
    return tuple(map(source_in_cache, case.hints.get(REFERENCES, "").split()))
