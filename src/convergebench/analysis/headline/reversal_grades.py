"""What judges say of returns, where the same judges graded every return of a case.

A judge grades how much of the source is back, and says whether a trace of the edit is left. In a case that is
graded for every ranked model, this takes the place of the measured `undid` and `left_behind`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from convergebench.analysis.headline.edit_decisions import ChainRound, common_judges
from convergebench.analysis.round_trip.results import Results, Return


@dataclass(frozen=True)
class ReversalGrade:
    """The mean over the judges, from 0 to 1."""

    restored: float
    undone: float
    """The share of verdicts that no trace of the edit is left."""


@dataclass(frozen=True)
class ReversalGrades:
    rounds: Mapping[ChainRound, ReversalGrade]
    cases: frozenset[str]
    """The cases in which judges graded every return of every ranked model, and said whether a trace is
    left."""
    judges: tuple[str, ...] = ()


def reversal_grades(results: Results, models: Iterable[str]) -> ReversalGrades:
    """The grades of all cases that are graded in full; `models` are those that must be."""
    ranked = set(models)
    by_case: dict[str, list[Return]] = {}
    for item in results.returns:
        by_case.setdefault(item.case, []).append(item)
    rounds: dict[ChainRound, ReversalGrade] = {}
    cases: dict[str, tuple[str, ...]] = {}
    for case, items in by_case.items():
        deciding = [item for item in items if item.model in ranked] or items
        judges = common_judges(
            answers for item in deciding for answers in (item.verdicts.restored, item.verdicts.undone)
        )
        if not judges:
            continue
        cases[case] = judges
        for item in items:
            said = item.verdicts
            if set(judges) <= set(said.restored) & set(said.undone):
                rounds[item.model, case, item.seed, item.round] = ReversalGrade(
                    sum(said.restored[one] for one in judges) / len(judges),
                    sum(said.undone[one] for one in judges) / len(judges),
                )
    every = dict.fromkeys(judge for judges in cases.values() for judge in judges)
    return ReversalGrades(rounds, frozenset(cases), tuple(every))
