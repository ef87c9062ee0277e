"""The next question of each rater, given all votes so far."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from convergebench.analysis.judged.next_comparison import PairTally, least_certain
from convergebench.analysis.votes.question_order import slot_of
from convergebench.analysis.votes.staircase import next_round
from convergebench.analysis.votes.vote import QuestionKind, Vote
from convergebench.types import Digest
from convergebench.votes.question_pool import ChainQuestion, PairQuestion, QuestionPool

STAIRCASES_AT_ONCE = 3
"""Staircases of one rater are interleaved, so that an answer does not tell the next question."""
_SHORTEST_MEMORY = 5
"""Questions between one and its repeat."""


@dataclass(frozen=True)
class VoteQuestion:
    """One question as it is shown: nothing in it names a model."""

    kind: QuestionKind
    pictures: tuple[tuple[str, Digest], ...]
    instruction: str
    repeat: int = 0

    @property
    def texts(self) -> dict[str, str]:
        return {"instruction": self.instruction} if self.kind == "edit" else {}


class Ballot:
    """Chooses questions. Not safe to share between threads without a lock."""

    def __init__(self, pool: QuestionPool, votes: Iterable[Vote] = ()) -> None:
        self._pool = pool
        self._pairs = {one.key: one for one in pool.pairs}
        self._tallies: dict[QuestionKind, defaultdict[tuple[str, str], PairTally]] = {
            kind: defaultdict(PairTally) for kind in pool.kinds
        }
        self._asked: Counter[object] = Counter()
        self._votes: defaultdict[str, list[Vote]] = defaultdict(list)
        for vote in votes:
            self.add(vote)

    def votes_of(self, rater: str) -> Sequence[Vote]:
        return self._votes[rater]

    def add(self, vote: Vote) -> None:
        self._votes[vote.rater].append(vote)
        self._count(vote, 1)

    def remove_last(self, rater: str) -> Vote | None:
        """Take back the rater's last vote."""
        if not self._votes[rater]:
            return None
        vote = self._votes[rater].pop()
        self._count(vote, -1)
        return vote

    def next_question(self, rater: str) -> VoteQuestion | None:
        """None if the rater has answered everything."""
        mine = self._votes[rater]
        chance = random.Random(f"question/{rater}/{len(mine)}")
        slot = slot_of(rater, len(mine))
        if slot == "repeat" and (repeated := self._repeat(mine, chance)):
            return repeated
        if slot == "catch" and self._pool.kinds:
            return _numbered(self._catch_trial(chance), mine)
        kinds = list(self._pool.kinds)
        chance.shuffle(kinds)
        for kind in kinds:
            found = self._visibility(mine, chance) if kind == "visibility" else self._pair(kind, mine, chance)
            if found is not None:
                return found
        return None

    def _pair(self, kind: QuestionKind, mine: Sequence[Vote], chance: random.Random) -> VoteQuestion | None:
        done = {(vote.kind, vote.source, frozenset(vote.compared)) for vote in mine}
        open_pairs: defaultdict[tuple[str, str], list[PairQuestion]] = defaultdict(list)
        for one in self._pairs.values():
            if one.kind == kind and one.key not in done:
                open_pairs[one.models].append(one)
        if not open_pairs:
            return None
        tallies = self._tallies[kind]
        chosen = open_pairs[least_certain({models: tallies[models] for models in open_pairs}, chance)]
        fewest = min(self._asked[one.key] for one in chosen)
        one = chance.choice([one for one in chosen if self._asked[one.key] == fewest])
        first, second = one.pictures if chance.random() < 0.5 else one.pictures[::-1]
        return pair_question(one, first, second)

    def _repeat(self, mine: Sequence[Vote], chance: random.Random) -> VoteQuestion | None:
        """An earlier decision in the other order, once."""
        orders = Counter((vote.kind, vote.source, frozenset(vote.compared)) for vote in mine)
        earlier = [
            vote
            for vote in mine[:-_SHORTEST_MEMORY]
            if vote.answer in ("first", "second") and not vote.is_catch_trial
            if orders[vote.kind, vote.source, frozenset(vote.compared)] == 1
            if (vote.kind, vote.source, frozenset(vote.compared)) in self._pairs
        ]
        if not earlier:
            return None
        vote = chance.choice(earlier)
        one = self._pairs[vote.kind, vote.source, frozenset(vote.compared)]
        return pair_question(one, *vote.compared[::-1])

    def _catch_trial(self, chance: random.Random) -> VoteQuestion:
        """The same picture twice."""
        kind = chance.choice(self._pool.kinds)
        if kind == "visibility":
            chain = chance.choice(self._pool.chains)
            return visibility_question(chain, chain.source)
        one = chance.choice([one for one in self._pool.pairs if one.kind == kind])
        return pair_question(one, *[chance.choice(one.pictures)] * 2)

    def _visibility(self, mine: Sequence[Vote], chance: random.Random) -> VoteQuestion | None:
        """A round of an open staircase, or the first of a new one."""
        answers: defaultdict[tuple[Digest, Digest], list[bool]] = defaultdict(list)
        for vote in mine:
            if vote.kind == "visibility" and vote.answer != "skip":
                answers[vote.compared].append(vote.answer == "yes")
        skipped = {vote.compared for vote in mine if vote.kind == "visibility" and vote.answer == "skip"}
        begun: list[tuple[ChainQuestion, int]] = []
        fresh: list[ChainQuestion] = []
        for chain in self._pool.chains:
            if any((chain.source, digest) in skipped for digest in chain.returns):
                continue
            given = [(n, seen) for n, d in enumerate(chain.returns, 1) for seen in answers[chain.source, d]]
            at = next_round(given, len(chain.returns))
            if given and at is not None:
                begun.append((chain, at))
            elif not given:
                fresh.append(chain)
        if fresh and len(begun) < STAIRCASES_AT_ONCE:
            fewest = min(self._asked[chain.key] for chain in fresh)
            chain = chance.choice([one for one in fresh if self._asked[one.key] == fewest])
            at = next_round([], len(chain.returns))
        elif begun:
            chain, at = chance.choice(begun)
        else:
            return None
        return _numbered(visibility_question(chain, chain.returns[(at or 1) - 1]), mine)

    def _count(self, vote: Vote, by: int) -> None:
        if vote.is_catch_trial:
            return
        if vote.kind == "visibility":
            for chain in self._pool.chains:
                if chain.source == vote.source and vote.picture("result") in chain.returns:
                    self._asked[chain.key] += by
            return
        one = self._pairs.get((vote.kind, vote.source, frozenset(vote.compared)))
        if one is None:
            return
        self._asked[one.key] += by
        for counted in self._pool.pair_votes([vote]):
            models = one.models
            value = counted.value if (counted.first, counted.second) == models else 1 - counted.value
            if {counted.first, counted.second} == set(models) and vote.kind in self._tallies:
                before = self._tallies[vote.kind][models]
                self._tallies[vote.kind][models] = PairTally(before.votes + by, before.won + by * value)


def pair_question(one: PairQuestion, first: Digest, second: Digest) -> VoteQuestion:
    return VoteQuestion(
        one.kind, (("source", one.source), ("first", first), ("second", second)), one.instruction
    )


def visibility_question(chain: ChainQuestion, result: Digest) -> VoteQuestion:
    return VoteQuestion("visibility", (("source", chain.source), ("result", result)), chain.instruction)


def _numbered(question: VoteQuestion, mine: Sequence[Vote]) -> VoteQuestion:
    """The question with the number of times that the rater saw it before."""
    before = sum(vote.kind == question.kind and vote.pictures == question.pictures for vote in mine)
    return replace(question, repeat=before)
