"""Votes as lines of JSON: how the page sends them, how they are stored, and how they travel."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, get_args

from convergebench.analysis.votes.vote import (
    PAIR_ANSWERS,
    VISIBILITY_ANSWERS,
    Answer,
    QuestionKind,
    Vote,
)
from convergebench.text_files import has_half_character

FORMAT = 1
_ROLES: Mapping[QuestionKind, tuple[str, ...]] = {
    "return": ("source", "first", "second"),
    "edit": ("source", "first", "second"),
    "visibility": ("source", "result"),
}
_PSEUDONYM = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,31}")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_MOST_LETTERS = 10_000
_MOST_SECONDS = 30 * 24 * 3600


def is_pseudonym(text: object) -> bool:
    """Letters, digits, hyphen and underscore, at most 32."""
    return isinstance(text, str) and bool(_PSEUDONYM.fullmatch(text))


def vote_line(vote: Vote) -> str:
    return json.dumps(
        {
            "convergebench_vote": FORMAT, "rater": vote.rater, "kind": vote.kind, "answer": vote.answer,
            "pictures": vote.pictures, "texts": dict(vote.texts), "repeat": vote.repeat,
            "seconds": round(vote.seconds, 3), "mode": vote.mode, "at": vote.at, "consent": vote.consent,
        },
        ensure_ascii=False,
    )  # fmt: skip


def vote_from(data: Any) -> Vote:
    """From a parsed line of unknown origin; ValueError says what is wrong with it."""
    if not isinstance(data, Mapping) or data.get("convergebench_vote") != FORMAT:
        raise ValueError("it is not a vote of ConvergeBench")
    kind: Any = data.get("kind")
    rater, seconds = data.get("rater"), data.get("seconds")
    if kind not in get_args(QuestionKind):
        raise ValueError(f"the kind of question must be one of {', '.join(get_args(QuestionKind))}")
    if not is_pseudonym(rater):
        raise ValueError("the rater needs a pseudonym of at most 32 letters, digits, hyphens and underscores")
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 <= seconds <= _MOST_SECONDS:
        raise ValueError(f"seconds must be a number from 0 to {_MOST_SECONDS}")
    repeat = data.get("repeat", 0)
    if isinstance(repeat, bool) or not isinstance(repeat, int) or not 0 <= repeat < 1000:
        raise ValueError("repeat must be a whole number from 0")
    return Vote(
        rater=str(rater), kind=kind, pictures=_pictures(data.get("pictures"), kind),
        answer=_answer(data.get("answer"), kind), seconds=float(seconds), texts=_texts(data.get("texts", {})),
        repeat=repeat, at=_short(data, "at"), mode=_short(data, "mode"), consent=_short(data, "consent"),
    )  # fmt: skip


def _pictures(value: Any, kind: QuestionKind) -> tuple[tuple[str, str], ...]:
    pairs = [tuple(one) for one in value if isinstance(one, list)] if isinstance(value, list) else []
    if [one[0] for one in pairs if len(one) == 2] != list(_ROLES[kind]):
        raise ValueError(f"its pictures must be {', '.join(_ROLES[kind])}")
    if not all(isinstance(digest, str) and _DIGEST.fullmatch(digest) for _, digest in pairs):
        raise ValueError("a picture is not named by its digest")
    return tuple((role, digest) for role, digest in pairs)


def _answer(value: Any, kind: QuestionKind) -> Answer:
    allowed = VISIBILITY_ANSWERS if kind == "visibility" else PAIR_ANSWERS
    for one in allowed:
        if value == one:
            return one
    raise ValueError(f"the answer must be one of {', '.join(allowed)}")


def _texts(value: Any) -> dict[str, str]:
    if not isinstance(value, Mapping) or not all(
        isinstance(text, str) and len(text) <= _MOST_LETTERS and not has_half_character(text)
        for pair in value.items()
        for text in pair
    ):
        raise ValueError("its texts must be texts")
    return dict(value)


def _short(data: Mapping[str, Any], name: str) -> str:
    value = data.get(name, "")
    if not isinstance(value, str) or len(value) > 64 or has_half_character(value):
        raise ValueError(f"{name} must be a short text")
    return value
