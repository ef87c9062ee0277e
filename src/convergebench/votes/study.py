"""A study that is going on: raters ask for questions and answer them, several at once."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from convergebench.analysis.votes.vote import Vote
from convergebench.errors import ConvergeBenchError, WrongUse
from convergebench.report.page.filmstrips import picture_of
from convergebench.results import Records
from convergebench.store import Workspace
from convergebench.store.timestamp import timestamp
from convergebench.types import Digest, fingerprint_of
from convergebench.votes.ballot import Ballot, VoteQuestion
from convergebench.votes.question_pool import QuestionPool
from convergebench.votes.question_words import question_words
from convergebench.votes.vote_lines import FORMAT, is_pseudonym, vote_from
from convergebench.votes.vote_store import read_votes, save_vote, withdraw_vote

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
        self._ballot = Ballot(pool, read_votes(workspace))
        self._guard = threading.Lock()
        self._facts: dict[Digest, dict[str, Any]] = known_pictures(workspace)

    def start(self, rater: str, consent: str) -> dict[str, Any]:
        self._check(rater, consent)
        with self._guard:
            return self._page_state(rater)

    def answer(self, data: Any) -> dict[str, Any]:
        """Save the vote, and return the next question. A vote that is sent twice counts once."""
        vote = replace(vote_from(data), at=timestamp())
        self._check(vote.rater, vote.consent)
        with self._guard:
            for _, digest in vote.pictures:
                self._picture(digest)
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
            return {**self._page_state(rater), "question": self._shown(_question_of(vote))}

    def _page_state(self, rater: str) -> dict[str, Any]:
        done = len(self._ballot.votes_of(rater))
        question = self._ballot.next_question(rater) if done < self.text.votes else None
        return {
            "done": done,
            "total": self.text.votes,
            "question": None if question is None else self._shown(question),
        }

    def _shown(self, question: VoteQuestion) -> dict[str, Any]:
        return question_data(question, {digest: self._picture(digest) for _, digest in question.pictures})

    def _picture(self, digest: Digest) -> dict[str, Any]:
        if digest not in self._facts:
            try:
                self._facts[digest] = picture_of(self._workspace.pictures.load(digest).facts)
            except ConvergeBenchError as error:
                raise ValueError("one of its pictures is not in this workspace") from error
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


def known_pictures(workspace: Workspace) -> dict[Digest, dict[str, Any]]:
    """Every result in the workspace, as the page refers to it; sources are looked up when needed."""
    steps = Records.of(workspace).steps
    return {facts.digest: picture_of(facts) for step in steps if (facts := step.facts) is not None}


def _question_of(vote: Vote) -> VoteQuestion:
    return VoteQuestion(vote.kind, vote.pictures, vote.texts.get("instruction", ""), vote.repeat)


def consent_text(text: str) -> str:
    """The study's own text, checked."""
    if not text.strip():
        raise WrongUse("the consent text is empty; write what raters agree to, or leave --consent out")
    return text.strip()
