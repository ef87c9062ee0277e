"""Everything in a workspace that people can be asked about."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import takewhile

from convergebench.analysis.votes.vote import KINDS, WINNERS, PairVote, QuestionKind, VisibilityVote, Vote
from convergebench.engine.judging.candidates import CandidatePicture, candidate_pictures
from convergebench.engine.judging.pairwise_candidates import PairwiseCandidate, pairwise_candidates
from convergebench.errors import WrongUse
from convergebench.judges import rubric
from convergebench.results import Records, WorkspaceOrRecords
from convergebench.types import Digest, SuiteId
from convergebench.votes.vote_store import RUBRICS


@dataclass(frozen=True)
class VotingPlace:
    """Where in the suite a question comes from; raters never see it."""

    case: str
    picture: str
    category: str
    seed: int


@dataclass(frozen=True)
class PairQuestion:
    """Two models' pictures from the same source, at the same round."""

    kind: QuestionKind
    place: VotingPlace
    round: int
    models: tuple[str, str]
    source: Digest
    pictures: tuple[Digest, Digest]
    instruction: str

    @property
    def key(self) -> tuple[QuestionKind, Digest, frozenset[Digest]]:
        """The same for both orders, and for models that made the same pictures."""
        return self.kind, self.source, frozenset(self.pictures)


@dataclass(frozen=True)
class ChainQuestion:
    """One model's returns to one source, by round from 1."""

    place: VotingPlace
    model: str
    source: Digest
    returns: tuple[Digest, ...]
    instruction: str

    @property
    def key(self) -> tuple[Digest, tuple[Digest, ...]]:
        return self.source, self.returns


@dataclass(frozen=True)
class QuestionPool:
    pairs: tuple[PairQuestion, ...]
    chains: tuple[ChainQuestion, ...]

    @property
    def kinds(self) -> tuple[QuestionKind, ...]:
        """Those of which there is a question."""
        there = {one.kind for one in self.pairs} | ({"visibility"} if self.chains else set())
        return tuple(kind for kind in KINDS if kind in there)

    def without(self, lost: Collection[Digest]) -> QuestionPool:
        """The questions that need none of these pictures; a chain ends before its first lost return."""
        pairs = (one for one in self.pairs if not {one.source, *one.pictures} & set(lost))
        chains = (
            replace(one, returns=tuple(takewhile(lambda digest: digest not in lost, one.returns)))
            for one in self.chains
            if one.source not in lost
        )
        return QuestionPool(tuple(pairs), tuple(one for one in chains if one.returns))

    def pair_votes(self, votes: Iterable[Vote]) -> Iterator[PairVote]:
        """What votes say about models."""
        return (said for said, _ in self.answered_pairs(votes))

    def answered_pairs(self, votes: Iterable[Vote]) -> Iterator[tuple[PairVote, PairQuestion]]:
        """Votes on two models, each with its question. A picture that several models made counts for each of
        them; catch trials and skipped questions count for none."""
        for vote in votes:
            winner = WINNERS.get(vote.answer)
            if winner is None or vote.is_catch_trial:
                continue
            for one in self._pairs_by_key.get((vote.kind, vote.source, frozenset(vote.compared)), ()):
                in_order = one.pictures == vote.compared
                first, second = one.models if in_order else one.models[::-1]
                said = PairVote(
                    vote.rater, vote.kind, first, second, winner, one.place.case, one.place.picture,
                    one.place.category, one.place.seed, one.round, vote.known_seconds,
                    vote.answer == "both_bad",
                )  # fmt: skip
                yield said, one

    def visibility_votes(self, votes: Iterable[Vote]) -> Iterator[VisibilityVote]:
        for vote in votes:
            if vote.kind != "visibility" or vote.answer == "skip" or vote.is_catch_trial:
                continue
            for one, number in self._rounds_by_key.get(vote.compared, ()):
                place = one.place
                yield VisibilityVote(
                    vote.rater, one.model, place.case, place.picture, place.category, place.seed, number,
                    len(one.returns), vote.answer == "yes", vote.at,
                )  # fmt: skip

    @cached_property
    def _pairs_by_key(self) -> dict[object, list[PairQuestion]]:
        found: defaultdict[object, list[PairQuestion]] = defaultdict(list)
        for one in self.pairs:
            found[one.key].append(one)
        return dict(found)

    @cached_property
    def _rounds_by_key(self) -> dict[tuple[Digest, Digest], list[tuple[ChainQuestion, int]]]:
        found: defaultdict[tuple[Digest, Digest], list[tuple[ChainQuestion, int]]] = defaultdict(list)
        for one in self.chains:
            for number, digest in enumerate(one.returns, 1):
                found[one.source, digest].append((one, number))
        return dict(found)


def question_pool(
    workspace: WorkspaceOrRecords,
    *,
    kinds: Collection[QuestionKind] = KINDS,
    suite: SuiteId | None = None,
    models: Collection[str] = (),
    rounds: Collection[int] = (),
) -> QuestionPool:
    """Questions on all models that edit, or on those named."""
    records = Records.of(workspace)
    chosen = models or [one.label for one in records.editors.values() if one.role == "model"]
    rubrics = [rubric(RUBRICS[kind]) for kind in kinds if kind != "visibility"]
    pairs = (
        pairwise_candidates(records, rubrics, suite=suite, models=chosen, rounds=rounds) if rubrics else []
    )
    chains: Sequence[ChainQuestion] = ()
    if "visibility" in kinds:
        chains = _chains(candidate_pictures(records, suite=suite, models=chosen, rounds=()))
    pool = QuestionPool(tuple(_pair_questions(pairs)), tuple(chains))
    if not pool.kinds:
        raise WrongUse(
            "there is nothing to vote on: a vote needs two models on the same case, or a return; "
            "run convergebench run with two models first"
        )
    return pool


def _pair_questions(candidates: Iterable[PairwiseCandidate]) -> Iterator[PairQuestion]:
    """Pairs of one source; two models that made the same picture tie without a question."""
    for one in candidates:
        if one.shown is None:
            continue
        pictures, place = one.shown.subject.pictures, one.first
        if len(pictures["source"]) > 1:
            continue
        yield PairQuestion(
            "return" if one.rubric.of == "return_pair" else "edit",
            VotingPlace(place.case, place.picture, place.category, place.seed),
            place.round,
            (one.first.model, one.second.model),
            pictures["source"][0],
            (pictures["first"][0], pictures["second"][0]),
            one.shown.subject.texts.get("instruction", ""),
        )


def _chains(candidates: Iterable[CandidatePicture]) -> list[ChainQuestion]:
    """Chains from one source, each up to its first missing return; a chain in several suites once."""
    found: defaultdict[tuple[str, int], dict[int, CandidatePicture]] = defaultdict(dict)
    for one in candidates:
        if one.of == "return" and len(one.subject.pictures["source"]) == 1:
            found[one.place.suite, one.step[0]][one.place.round] = one
    chains = [_chain(by_round) for by_round in found.values() if 1 in by_round]
    return list({(one.model, one.place, one.key): one for one in chains}.values())


def _chain(by_round: dict[int, CandidatePicture]) -> ChainQuestion:
    first = by_round[1]
    returns: list[Digest] = []
    while len(returns) + 1 in by_round:
        returns.append(by_round[len(returns) + 1].subject.pictures["result"][0])
    place = first.place
    return ChainQuestion(
        VotingPlace(place.case, place.picture, place.category, place.seed),
        place.model,
        first.subject.pictures["source"][0],
        tuple(returns),
        first.subject.texts.get("instruction", ""),
    )
