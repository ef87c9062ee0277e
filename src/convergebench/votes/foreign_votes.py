"""Imported preferences between models of which this workspace has no pictures."""

from __future__ import annotations

import json
from collections.abc import Sequence

from convergebench.analysis.judged.bradley_terry import WINNER_BY_SHARE, Comparison
from convergebench.analysis.votes.vote import IMPORTED as MODE
from convergebench.analysis.votes.vote import WINNERS, Vote
from convergebench.judges import JudgeFacts, JudgeReply, Rubric, Verdict
from convergebench.judges.base import JudgeAttempt
from convergebench.judges.rubric import CHOICES, Ask
from convergebench.results.judgements import stored_verdicts
from convergebench.results.votes import imported_preferences
from convergebench.store import Workspace
from convergebench.store.judgements import (
    JudgementRequest,
    begin_judgement,
    conclude,
    enlist_judge,
    record_attempt,
)
from convergebench.types import fingerprint_of
from convergebench.votes.exchange import ForeignVote
from convergebench.votes.question_pool import PairQuestion, QuestionPool
from convergebench.votes.vote_store import human_judge, imported_judge

IMPORTED = Rubric(
    id="imported_preference",
    version=1,
    of="edit_pair",
    sees=("first", "second"),
    prompt="A preference between two models, given elsewhere.",
    ask=(Ask("better", "Which is better?", choice=True),),
    system="",
)


def vote_on_pictures(vote: ForeignVote, pool: QuestionPool, at: str) -> Vote | None:
    """The vote on the pictures of this workspace that it speaks of; None if there are none."""
    for one in pool.pairs:
        if _is_about(vote, one):
            turned = vote.first != one.models[0]
            first, second = one.pictures[::-1] if turned else one.pictures
            pictures = (("source", one.source), ("first", first), ("second", second))
            texts = {"instruction": one.instruction} if one.kind == "edit" else {}
            return Vote(vote.rater, one.kind, pictures, vote.answer, vote.seconds, texts, at=at, mode=MODE)
    return None


def _is_about(vote: ForeignVote, one: PairQuestion) -> bool:
    return (
        {vote.first, vote.second} == set(one.models)
        and vote.case == one.place.case
        and vote.kind == one.kind
        and vote.seed == one.place.seed
        and (vote.round == one.round or (vote.round is None and one.round == 1))
    )


def judge_of(vote: ForeignVote) -> JudgeFacts:
    """The person or the model that gave it."""
    return imported_judge(vote.judge) if vote.judge else human_judge(vote.rater)


def save_foreign_vote(workspace: Workspace, vote: ForeignVote, origin: str, run: int) -> bool:
    """Keep it by names; false if it was there before. `origin` tells files apart."""
    judge = judge_of(vote)
    texts = {"first": vote.first, "second": vote.second, "case": vote.case, "origin": f"{origin}:{vote.row}"}
    key = fingerprint_of("imported", judge.fingerprint, texts)
    if key in stored_verdicts(workspace, [key]):
        return False
    enlist_judge(workspace, judge, [IMPORTED])
    begin_judgement(
        workspace, JudgementRequest(key, judge.fingerprint, IMPORTED.fingerprint, (), texts, 0), run
    )
    value = CHOICES[WINNERS[vote.answer]]
    scores = {"better": value, **({"both_bad": 1.0} if vote.answer == "both_bad" else {})}
    reply = JudgeReply(json.dumps(texts, ensure_ascii=False), "complete", vote.answer, "imported")
    record_attempt(workspace, key, run, JudgeAttempt("ok", "", vote.seconds, reply))
    conclude(workspace, key, run, Verdict("ok", value, scores)).result()
    return True


def read_foreign_votes(workspace: Workspace) -> Sequence[Comparison]:
    """Of people and models, each by the name of its judge, with the case as the cluster."""
    found = []
    for name, texts, value in imported_preferences(workspace):
        said = json.loads(texts)
        winner = WINNER_BY_SHARE[value]
        found.append(Comparison(said["first"], said["second"], winner, said["case"], name))
    return found
