"""A study that is going on: raters ask for questions and answer them, several at once."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from convergebench.analysis.votes.vote import Vote
from convergebench.errors import LostPicture, WrongUse
from convergebench.report.page.filmstrips import picture_of
from convergebench.store import Workspace
from convergebench.store.timestamp import timestamp
from convergebench.types import Digest, fingerprint_of
from convergebench.votes.ballot import Ballot, VoteQuestion
from convergebench.votes.question_pool import QuestionPool
from convergebench.votes.question_words import question_words
from convergebench.votes.vote_lines import FORMAT, is_pseudonym, vote_from
from convergebench.votes.vote_store import read_votes, save_vote, withdraw_vote

log = logging.getLogger("convergebench")

DEFAULT_VOTES = 60


@dataclass(frozen=True)
class StudyText:
    """What a rater is told and asked for before the first question."""

    consent: str = ""
    """A text of the study's own; empty if there is none."""
    votes: int = DEFAULT_VOTES
    """How many are asked of each rater."""

    @property
    def consent_mark(self) -> str:
        return fingerprint_of(self.consent) if self.consent else ""


class Study:
    """Answers the requests of open pages, from several threads. A vote is on disk when `answer` returns."""

    def __init__(self, workspace: Workspace, pool: QuestionPool, text: StudyText, run: int) -> None:
        self.text = text
        self._workspace = workspace
        self._run = run
        self._pool = pool
        self._ballot = Ballot(pool, read_votes(workspace))
        self._guard = threading.Lock()
        self._facts: dict[Digest, dict[str, Any]] = {}
        """Of the pictures that were read and found whole."""

    def start(self, rater: str, consent: str) -> dict[str, Any]:
        self._check(rater, consent)
        with self._guard:
            return self._page_state(rater)

    def answer(self, data: Any) -> dict[str, Any]:
        """Save the vote, and return the next question. A vote that is sent twice counts once."""
        vote = replace(vote_from(data), at=timestamp())
        self._check(vote.rater, vote.consent)
        with self._guard:
            if not all(self._is_whole(digest) for _, digest in vote.pictures):
                raise ValueError("one of its pictures is not in this workspace")
            if save_vote(self._workspace, vote, self._run):
                self._ballot.add(vote)
            return self._page_state(vote.rater)

    def undo(self, rater: str, consent: str) -> dict[str, Any]:
        """Take the rater's last vote back, and ask that question again."""
        self._check(rater, consent)
        with self._guard:
            vote = self._ballot.remove_last(rater)
            if vote is None:
                return self._page_state(rater)
            withdraw_vote(self._workspace, vote)
            state = self._page_state(rater)
            again = self._shown(_question_of(vote))
            return state if again is None else {**state, "question": again}

    def _page_state(self, rater: str) -> dict[str, Any]:
        done = len(self._ballot.votes_of(rater))
        question = self._next_question(rater) if done < self.text.votes else None
        return {"done": done, "total": self.text.votes, "question": question}

    def _next_question(self, rater: str) -> dict[str, Any] | None:
        """The next one whose pictures are whole; None if there is no other."""
        while (question := self._ballot.next_question(rater)) is not None:
            shown = self._shown(question)
            if shown is not None:
                return shown
        return None

    def _shown(self, question: VoteQuestion) -> dict[str, Any] | None:
        """None if a picture is lost: what needs it is left out of the study from then on."""
        try:
            facts = {digest: self._picture(digest) for _, digest in question.pictures}
        except LostPicture as error:
            log.warning("left out of the study: %s", error)
            lost = [digest for _, digest in question.pictures if not self._is_whole(digest)]
            self._pool = self._pool.without(lost)
            self._ballot = Ballot(self._pool, read_votes(self._workspace))
            return None
        return question_data(question, facts)

    def _is_whole(self, digest: Digest) -> bool:
        try:
            self._picture(digest)
        except LostPicture:
            return False
        return True

    def _picture(self, digest: Digest) -> dict[str, Any]:
        if digest not in self._facts:
            self._facts[digest] = picture_of(self._workspace.pictures.load(digest).facts)
        return self._facts[digest]

    def _check(self, rater: str, consent: str) -> None:
        if not is_pseudonym(rater):
            raise ValueError("a pseudonym has at most 32 letters, digits, hyphens and underscores")
        if consent != self.text.consent_mark:
            raise ValueError("the study's text was not agreed to")


def question_data(question: VoteQuestion, facts: Mapping[Digest, dict[str, Any]]) -> dict[str, Any]:
    """The question as the page receives it. Sizes and formats are left out where they could tell models
    apart: every picture is drawn at the size of the source."""
    words = question_words(question.kind)
    return {
        "kind": question.kind,
        "format": FORMAT,
        "pictures": [[role, digest] for role, digest in question.pictures],
        "files": {role: facts[digest]["file"] for role, digest in question.pictures},
        "width": facts[question.pictures[0][1]]["width"],
        "height": facts[question.pictures[0][1]]["height"],
        "instruction": question.instruction,
        "texts": question.texts,
        "repeat": question.repeat,
        "asks": words.asks,
        "look_for": words.look_for,
    }


def _question_of(vote: Vote) -> VoteQuestion:
    return VoteQuestion(vote.kind, vote.pictures, vote.texts.get("instruction", ""), vote.repeat)


def consent_text(text: str) -> str:
    """The study's own text, checked."""
    if not text.strip():
        raise WrongUse("the consent text is empty; write what raters agree to, or leave --consent out")
    return text.strip()
