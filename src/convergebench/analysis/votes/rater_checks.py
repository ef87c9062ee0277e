"""Which raters answered like chance, or faster than one can look."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from convergebench.analysis.votes.vote import Vote

FAILS_ATTENTIVE, FAILS_BY_CHANCE = 0.1, 0.5
"""The assumed share of failed catch trials."""
CONTRADICTS_ATTENTIVE, CONTRADICTS_BY_CHANCE = 0.25, 0.5
"""The assumed share of repeats that contradict the first answer; attentive people do so on close pairs."""
MARKED_ODDS = 10.0
"""Raters are marked if guessing explains their control questions this many times as well as attention."""
FASTEST_LOOK_SECONDS = 0.8
MOST_FAST = 0.2
_FEWEST_TIMED = 5


@dataclass(frozen=True)
class RaterCheck:
    """A rater's control questions and speed."""

    rater: str
    votes: int
    skipped: int
    catch_trials: int
    catch_failed: int
    repeats: int
    """Pairs that were decided twice, in both orders."""
    contradictions: int
    median_seconds: float | None
    """None if it is not known how long they took."""
    fast: int
    """Answers faster than one can look."""

    @property
    def guessing_odds(self) -> float:
        """How many times as well guessing explains the control questions as attention does."""
        return math.exp(
            _evidence(self.catch_failed, self.catch_trials, FAILS_BY_CHANCE, FAILS_ATTENTIVE)
            + _evidence(self.contradictions, self.repeats, CONTRADICTS_BY_CHANCE, CONTRADICTS_ATTENTIVE)
        )

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why the rater is marked; empty if not."""
        found = []
        if self.guessing_odds > MARKED_ODDS:
            failed = f"{self.catch_failed} of {self.catch_trials} catch trials failed"
            contradicted = f"{self.contradictions} of {self.repeats} repeats contradicted"
            found.append(f"answers like chance: {failed}, {contradicted}")
        if self.votes >= _FEWEST_TIMED and self.fast > MOST_FAST * self.votes:
            found.append(f"{self.fast} of {self.votes} answers in less than {FASTEST_LOOK_SECONDS} s")
        return tuple(found)

    @property
    def is_marked(self) -> bool:
        return bool(self.reasons)


def rater_checks(votes: Iterable[Vote]) -> list[RaterCheck]:
    """One for each rater, in order of appearance."""
    by_rater: defaultdict[str, list[Vote]] = defaultdict(list)
    for vote in votes:
        by_rater[vote.rater].append(vote)
    return [_check(rater, given) for rater, given in by_rater.items()]


def _check(rater: str, votes: Sequence[Vote]) -> RaterCheck:
    answered = [vote for vote in votes if vote.answer != "skip"]
    catches = [vote for vote in answered if vote.is_catch_trial]
    repeats, contradictions = _repeats(answered)
    times = [vote.known_seconds for vote in answered if vote.known_seconds is not None]
    return RaterCheck(
        rater=rater,
        votes=len(votes),
        skipped=len(votes) - len(answered),
        catch_trials=len(catches),
        catch_failed=sum(vote.answer in ("first", "second", "yes") for vote in catches),
        repeats=repeats,
        contradictions=contradictions,
        median_seconds=statistics.median(times) if times else None,
        fast=sum(seconds < FASTEST_LOOK_SECONDS for seconds in times),
    )


def _repeats(votes: Sequence[Vote]) -> tuple[int, int]:
    """Pairs that were decided twice, and how many of them differently."""
    winners: defaultdict[tuple[str, str, frozenset[str]], list[str]] = defaultdict(list)
    for vote in votes:
        if vote.answer in ("first", "second") and not vote.is_catch_trial:
            chosen = vote.compared[0 if vote.answer == "first" else 1]
            winners[vote.kind, vote.source, frozenset(vote.compared)].append(chosen)
    twice = [found for found in winners.values() if len(found) > 1]
    return len(twice), sum(found[0] != found[1] for found in twice)


def _evidence(count: int, total: int, chance: float, attentive: float) -> float:
    return count * math.log(chance / attentive) + (total - count) * math.log((1 - chance) / (1 - attentive))
