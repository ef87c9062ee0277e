"""The words of each question: a short one for people, and below it the rubric that judges get."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from convergebench.analysis.votes.vote import QuestionKind
from convergebench.judges import rubric
from convergebench.votes.vote_store import RUBRICS


@dataclass(frozen=True)
class QuestionWords:
    asks: str
    look_for: str
    """In detail, as the rubric has it."""


_ASKS: Mapping[QuestionKind, str] = {
    "return": "Which picture is closer to the source?",
    "edit": "Which edit did what was asked, and left the rest alone?",
    "visibility": "Do you see a difference?",
}


def question_words(kind: QuestionKind) -> QuestionWords:
    asked = rubric(RUBRICS[kind])
    prompt = " ".join(asked.prompt.split())
    return QuestionWords(_ASKS[kind], f"{prompt} {asked.ask[0].asks}")
