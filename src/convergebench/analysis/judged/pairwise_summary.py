"""Comparisons of models by judges, summarised: wins, ties and strengths."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from convergebench.analysis.judged.bradley_terry import (
    OrderSwapped,
    Strengths,
    Winner,
    bradley_terry,
    order_swapped,
    wins_and_ties,
)


@dataclass(frozen=True)
class PairwiseVerdicts:
    """Two models compared on one subject, in both orders; None if an order has no verdict."""

    rubric: str
    first: str
    second: str
    shown: Winner | None
    swapped: Winner | None
    cluster: str = ""
    suite: str = ""
    language: str = ""
    """Comparisons of different suites or languages are never summarised together."""
    case: str = ""

    @property
    def outcome(self) -> OrderSwapped | None:
        """None if an order has no verdict."""
        if self.shown is None or self.swapped is None:
            return None
        return order_swapped(self.first, self.second, self.shown, self.swapped, self.cluster)


@dataclass(frozen=True)
class WinCounts:
    """One model's comparisons with all others."""

    won: int
    tied: int
    lost: int

    @property
    def share(self) -> float | None:
        """Of wins, with a tie as half of one; None without comparisons."""
        total = self.won + self.tied + self.lost
        return (self.won + self.tied / 2) / total if total else None


@dataclass(frozen=True)
class PairwiseSummary:
    """The summary of a rubric's comparisons on one suite in one language."""

    rubric: str
    n: int
    """Comparisons with a verdict in both orders; only these count."""
    missing: int
    ties: int
    """Includes comparisons where the orders disagree."""
    order_disagreements: int
    wins: Mapping[tuple[str, str], tuple[int, int, int]]
    """For every pair of models: wins of one, ties, wins of the other."""
    strengths: Strengths
    suite: str = ""
    language: str = ""

    @property
    def models(self) -> dict[str, WinCounts]:
        """The best first: by strength, or by the share of wins where there are no strengths."""
        totals: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
        for (model, other), (won, tied, lost) in self.wins.items():
            for name, counts in ((model, (won, tied, lost)), (other, (lost, tied, won))):
                totals[name] = [sum(pair) for pair in zip(totals[name], counts, strict=True)]
        found = {name: WinCounts(*counts) for name, counts in totals.items()}
        order = [one.model for one in self.strengths.models] or sorted(
            found, key=lambda name: (-(found[name].share or 0.0), name)
        )
        return {name: found[name] for name in order}


def pairwise_summaries(verdicts: Iterable[PairwiseVerdicts]) -> list[PairwiseSummary]:
    """One summary for each rubric, suite and language, in order of appearance."""
    grouped: defaultdict[tuple[str, str, str], list[PairwiseVerdicts]] = defaultdict(list)
    for one in verdicts:
        grouped[one.rubric, one.suite, one.language].append(one)
    return [_summary(group) for group in grouped.values()]


def _summary(verdicts: Sequence[PairwiseVerdicts]) -> PairwiseSummary:
    swaps = [found for one in verdicts if (found := one.outcome) is not None]
    compared = [one.comparison for one in swaps]
    return PairwiseSummary(
        rubric=verdicts[0].rubric,
        n=len(swaps),
        missing=len(verdicts) - len(swaps),
        ties=sum(one.winner == "tie" for one in compared),
        order_disagreements=sum(not one.consistent for one in swaps),
        wins=wins_and_ties(compared),
        strengths=bradley_terry(compared),
        suite=verdicts[0].suite,
        language=verdicts[0].language,
    )
