from __future__ import annotations

import json

import pytest

from convergebench.results import Records
from convergebench.store import Workspace
from convergebench.votes.ballot import Ballot
from convergebench.votes.question_pool import QuestionPool
from convergebench.votes.vote_lines import vote_from, vote_line
from convergebench.votes.vote_store import delete_rater, read_votes, save_vote, withdraw_vote
from votes.conftest import vote_on, vote_through


@pytest.fixture
def run(opened: Workspace) -> int:
    return opened.start_run({"command": "vote"})


def test_votes_come_back_as_they_were_given(opened: Workspace, pool: QuestionPool, run: int) -> None:
    votes = vote_through(Ballot(pool), "ada", 25)
    assert all(save_vote(opened, vote, run) for vote in votes)
    assert read_votes(opened) == votes


def test_a_vote_is_a_judgement_of_a_person(opened: Workspace, pool: QuestionPool, run: int) -> None:
    question = Ballot(pool).next_question("ada")
    assert question is not None
    save_vote(opened, vote_on(question, "ada", "no" if question.kind == "visibility" else "second"), run)
    records = Records.of(opened)
    (judge,), (judgement,) = records.judges, records.judgements
    assert (judge.name, judgement.outcome, judgement.value) == ("human:ada", "ok", 0.0)
    assert records.rubrics[judgement.rubric].id in ("better_return", "better_edit", "visible_difference")


def test_a_vote_that_arrives_twice_counts_once(opened: Workspace, pool: QuestionPool, run: int) -> None:
    (vote,) = vote_through(Ballot(pool), "ada", 1)
    assert save_vote(opened, vote, run) and not save_vote(opened, vote, run)
    assert read_votes(opened) == [vote]


def test_a_skipped_question_is_missing_and_never_a_tie(
    opened: Workspace, pool: QuestionPool, run: int
) -> None:
    question = Ballot(pool).next_question("ada")
    assert question is not None
    save_vote(opened, vote_on(question, "ada", "skip"), run)
    (judgement,) = Records.of(opened).judgements
    assert (judgement.value, judgement.missing) == (None, "skipped by the rater")
    assert list(pool.pair_votes(read_votes(opened))) == []


def test_votes_can_be_withdrawn_and_a_rater_deleted(opened: Workspace, pool: QuestionPool, run: int) -> None:
    ballot = Ballot(pool)
    ada, bob = vote_through(ballot, "ada", 5), vote_through(ballot, "bob", 3)
    for vote in (*ada, *bob):
        save_vote(opened, vote, run)
    withdraw_vote(opened, bob[-1])
    assert delete_rater(opened, "ada") == 5
    assert read_votes(opened) == bob[:2]
    assert [one.name for one in Records.of(opened).judges] == ["human:bob"]
    ((attempts,),) = opened.query("SELECT count(*) FROM judge_attempts")
    assert attempts == 2


WRONG_CHANGES: tuple[dict[str, object], ...] = (
    {"rater": "Ada Lovelace"}, {"rater": ""}, {"kind": "beauty"}, {"answer": "yes"}, {"seconds": -1},
    {"seconds": "5"}, {"pictures": []}, {"pictures": [["source", "../x"]] * 3}, {"repeat": -1},
    {"convergebench_vote": 2}, {"texts": {"instruction": 3}}, {"mode": "x" * 100},
)  # fmt: skip


def test_a_line_that_is_no_vote_is_refused(pool: QuestionPool) -> None:
    votes = vote_through(Ballot(pool), "ada", 20)
    line = json.loads(vote_line(next(vote for vote in votes if vote.kind == "return")))
    assert vote_from(line).rater == "ada"
    for change in WRONG_CHANGES:
        with pytest.raises(ValueError):
            vote_from({**line, **change})
