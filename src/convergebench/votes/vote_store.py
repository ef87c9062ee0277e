"""Votes in a workspace: each is a judgement of the judge `human:<pseudonym>`, durable when saved."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping

from convergebench.analysis.votes.vote import IMPORTED, QuestionKind, Vote
from convergebench.judges import JudgeFacts, JudgeReply, Rubric, Subject, Verdict, rubric
from convergebench.judges.asking import key_of, pictures_sent, texts_sent
from convergebench.judges.base import JudgeAttempt
from convergebench.results import Records
from convergebench.results.judgements import stored_verdicts
from convergebench.results.votes import imported_preferences, vote_replies
from convergebench.store import Workspace
from convergebench.store.judgements import (
    JudgementRequest,
    begin_judgement,
    conclude,
    delete_judge,
    delete_judgement,
    enlist_judge,
    record_attempt,
)
from convergebench.votes.vote_lines import vote_from, vote_line

HUMAN = "human"
RUBRICS: Mapping[QuestionKind, str] = {
    "return": "better_return",
    "edit": "better_edit",
    "visibility": "visible_difference",
}
SKIPPED = "skipped by the rater"
_SCORES = {"first": 1.0, "second": 0.0, "tie": 0.5, "both_bad": 0.5, "yes": 1.0, "no": 0.0}


def human_judge(pseudonym: str) -> JudgeFacts:
    """A person as a judge."""
    return JudgeFacts(f"{HUMAN}:{pseudonym}", version="1", provider=HUMAN, model=pseudonym)


def imported_judge(name: str) -> JudgeFacts:
    """A model whose verdicts were given elsewhere. What it was asked there is not known, so it is never taken
    for a judge of this workspace."""
    return JudgeFacts(f"{IMPORTED}:{name}", version="1", provider=IMPORTED, model=name)


def save_vote(workspace: Workspace, vote: Vote, run: int, judge: JudgeFacts | None = None) -> bool:
    """Return when the vote is on disk; false if it was there before. It is the rater's, or the judge's."""
    judge, asked = judge or human_judge(vote.rater), rubric(RUBRICS[vote.kind])
    request = _request(vote, asked, judge)
    if request.key in stored_verdicts(workspace, [request.key]):
        return False
    enlist_judge(workspace, judge, [asked])
    begin_judgement(workspace, request, run)
    verdict = _verdict(vote, asked)
    reply = JudgeReply(vote_line(vote), "complete", vote.answer, HUMAN, cost_usd=None)
    attempt = JudgeAttempt(verdict.outcome, verdict.missing or "", vote.seconds, reply)
    record_attempt(workspace, request.key, run, attempt)
    conclude(workspace, request.key, run, verdict).result()
    return True


def is_stored_otherwise(workspace: Workspace, vote: Vote, judge: JudgeFacts | None = None) -> bool:
    """Whether the same question has another answer of the rater, or of the judge."""
    asked = rubric(RUBRICS[vote.kind])
    key = _request(vote, asked, judge or human_judge(vote.rater)).key
    stored, given = stored_verdicts(workspace, [key]).get(key), _verdict(vote, asked)
    return stored is not None and (stored.outcome, stored.scores) != (given.outcome, given.scores)


def read_votes(workspace: Workspace) -> list[Vote]:
    """Every vote, in the order in which they were saved."""
    return [vote_from(json.loads(reply)) for reply in vote_replies(workspace)]


def withdraw_vote(workspace: Workspace, vote: Vote) -> None:
    """Remove one vote, because the rater took it back."""
    request = _request(vote, rubric(RUBRICS[vote.kind]), human_judge(vote.rater))
    delete_judgement(workspace, request.key).result()


def delete_rater(workspace: Workspace, pseudonym: str) -> int:
    """Remove all votes of a rater, and the rater; the number of votes removed."""
    count = votes_by_rater(workspace)[pseudonym]
    delete_judge(workspace, human_judge(pseudonym).fingerprint).result()
    return count


def votes_by_rater(workspace: Workspace) -> Counter[str]:
    """How many votes each person gave, on pictures or by the names of models, in order of appearance."""
    people = f"{HUMAN}:"
    by_names = [name for name, _, _ in imported_preferences(workspace) if name.startswith(people)]
    return Counter(
        [*(vote.rater for vote in read_votes(workspace)), *(name.removeprefix(people) for name in by_names)]
    )


def of_absent_pictures(workspace: Workspace, votes: Iterable[Vote]) -> int:
    """The number of votes on a picture that is in no step of the workspace."""
    there = {digest for step in Records.of(workspace).steps for digest in (*step.inputs, step.picture)}
    return sum(any(digest not in there for _, digest in vote.pictures) for vote in votes)


def _request(vote: Vote, asked: Rubric, judge: JudgeFacts) -> JudgementRequest:
    subject = Subject({role: (digest,) for role, digest in vote.pictures}, vote.texts)
    pictures, texts = pictures_sent(asked, subject), texts_sent(asked, subject)
    key = key_of(judge.fingerprint, asked, pictures, texts, vote.repeat)
    return JudgementRequest(key, judge.fingerprint, asked.fingerprint, pictures, texts, vote.repeat)


def _verdict(vote: Vote, asked: Rubric) -> Verdict:
    if vote.answer == "skip":
        return Verdict("refused", missing=SKIPPED)
    scores = {asked.ask[0].name: _SCORES[vote.answer]}
    if vote.answer == "both_bad":
        scores["both_bad"] = 1.0
    return Verdict("ok", scores[asked.ask[0].name], scores)
