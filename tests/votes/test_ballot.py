from __future__ import annotations

from collections import Counter

from convergebench.analysis.votes.question_order import BLOCK, slot_of
from convergebench.analysis.votes.vote import Vote
from convergebench.store import Workspace
from convergebench.votes.ballot import Ballot
from convergebench.votes.question_pool import QuestionPool, question_pool
from votes.conftest import vote_on, vote_through


def models_in(pool: QuestionPool, vote: Vote) -> tuple[str, str]:
    """In the order in which their pictures were shown; cases that share pictures share votes."""
    found = next(pool.pair_votes([vote]))
    return found.first, found.second


def test_every_twenty_questions_hold_one_catch_trial_and_two_repeats() -> None:
    for rater in ("ada", "bob", "cleo"):
        for block in range(5):
            slots = Counter(slot_of(rater, BLOCK * block + n) for n in range(BLOCK))
            assert slots == {"new": 17, "repeat": 2, "catch": 1}


def test_a_repeat_shows_an_earlier_pair_in_the_other_order(pool: QuestionPool) -> None:
    votes = vote_through(Ballot(pool), "ada", 60)
    pairs = [vote for vote in votes if vote.kind == "return" and not vote.is_catch_trial]
    seen = Counter(frozenset(vote.compared) for vote in pairs)
    twice = [pair for pair, count in seen.items() if count == 2]
    assert twice and max(seen.values()) == 2
    for pair in twice:
        first, second = (vote.compared for vote in pairs if frozenset(vote.compared) == pair)
        assert first == second[::-1]


def test_catch_trials_show_the_same_picture_twice(pool: QuestionPool) -> None:
    votes = vote_through(Ballot(pool), "ada", 40)
    assert sum(vote.is_catch_trial for vote in votes) == 2


def test_the_pair_with_fewest_votes_comes_next_at_equal_shares(opened: Workspace) -> None:
    pool = question_pool(opened, kinds=("return",))
    ballot = Ballot(pool)
    for number in range(12):
        question = ballot.next_question(f"rater{number}")
        assert question is not None
        ballot.add(vote_on(question, f"rater{number}", "tie"))
    votes = [models_in(pool, vote) for n in range(12) for vote in ballot.votes_of(f"rater{n}")]
    counts = Counter(frozenset(models) for models in votes)
    assert len(counts) == 3 and set(counts.values()) == {4}


def test_both_orders_are_shown_about_equally_often(opened: Workspace) -> None:
    pool = question_pool(opened, kinds=("return",))
    votes = [vote for n in range(40) for vote in vote_through(Ballot(pool), f"rater{n}", 5)]
    firsts = sum(models_in(pool, vote)[0] == min(models_in(pool, vote)) for vote in votes)
    assert len(votes) == 200 and 70 < firsts < 130


def test_a_vote_that_is_taken_back_leaves_no_trace(pool: QuestionPool) -> None:
    ballot = Ballot(pool)
    before = ballot.next_question("ada")
    (vote,) = vote_through(ballot, "ada", 1)
    assert ballot.next_question("ada") != before
    assert ballot.remove_last("ada") == vote
    assert ballot.next_question("ada") == before
    assert ballot.remove_last("ada") is None


def test_a_rater_is_asked_everything_once_and_then_nothing_more(opened: Workspace) -> None:
    pool = question_pool(opened, kinds=("return",))
    votes = vote_through(Ballot(pool), "ada", 500)
    asked = {frozenset(vote.compared) for vote in votes if not vote.is_catch_trial}
    assert len(asked) == len({one.key for one in pool.pairs}) and len(votes) < 500


def test_floors_are_not_voted_on_unless_named(opened: Workspace, pool: QuestionPool) -> None:
    assert {model for one in pool.pairs for model in one.models} == {"steady", "fading", "refuser"}
    named = question_pool(opened, models=["identity", "steady"])
    assert {one.models for one in named.pairs} == {("identity", "steady")}
