"""Chains for the headline: what each round edited, undid and preserved, and how each chain ended."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Literal, TypeAlias

from convergebench.analysis.headline.edit_decisions import EditDecisions
from convergebench.analysis.headline.reversal_grades import ReversalGrade, ReversalGrades
from convergebench.analysis.headline.seen_values import (
    SAME_FACE,
    CaseRound,
    face_distance_of,
    kept_seen,
    rounds_with_faces,
    undid_seen,
)
from convergebench.analysis.round_trip.results import FailedStep, Results, Return
from convergebench.errors import WrongUse
from convergebench.metrics.regions import edit_scope

Ending: TypeAlias = Literal["not edited", "not undone", "rest changed", "another person", "refused"]
"""The reasons that make a round unusable. An outage is not one of them: the chain is censored there."""

LEAST_UNDONE = 0.5
LEAST_KEPT = 0.8
REFUSALS = ("refused", "bad_output")


@dataclass(frozen=True)
class Thresholds:
    """What a usable round needs."""

    undid: float = LEAST_UNDONE
    """At least."""
    kept: float = LEAST_KEPT
    """At least."""
    face: float = SAME_FACE
    """At most."""

    @classmethod
    def parse(cls, texts: Iterable[str]) -> Thresholds:
        """
        >>> Thresholds.parse(["undid=0.4", "kept=0.7"])
        Thresholds(undid=0.4, kept=0.7, face=0.45)
        """
        known = [field.name for field in fields(cls)]
        chosen: dict[str, float] = {}
        for text in texts:
            name, _, value = text.partition("=")
            try:
                chosen[name] = float(value)
            except ValueError:
                chosen[name] = math.nan
            if name not in known or not 0 <= chosen[name] <= 1:
                raise WrongUse(
                    f"{text} is no threshold; write {', '.join(f'{one}=VALUE' for one in known)} "
                    "with values from 0 to 1"
                )
        return cls(**chosen)


@dataclass(frozen=True)
class RoundQuality:
    """One round of a chain that returned; None if not measured, or undefined for this edit."""

    happened: bool | None
    undid: float | None
    kept: float | None
    """None also for a global edit, which leaves no rest."""
    is_global: bool
    left_behind: float | None
    face_distance: float | None
    """At the last round, up to this one, at which faces were compared for every ranked model."""

    @property
    def quality(self) -> float | None:
        """g · √(U · K), or g · U for a global edit; None if a part of it is missing."""
        if self.happened is False:
            return 0.0
        if self.happened is None or self.undid is None:
            return None
        if self.is_global:
            return self.undid
        return None if self.kept is None else float((self.undid * self.kept) ** 0.5)

    def ending(self, limits: Thresholds) -> Ending | None:
        """The first reason why the chain is unusable from this round on."""
        if self.happened is False:
            return "not edited"
        if self.undid is not None and self.undid < limits.undid:
            return "not undone"
        if self.kept is not None and self.kept < limits.kept:
            return "rest changed"
        if self.face_distance is not None and self.face_distance > limits.face:
            return "another person"
        return None


@dataclass(frozen=True)
class Chain:
    """One trajectory: its rounds in order, up to the first gap."""

    model: str
    case: str
    seed: int
    picture: str
    rounds: tuple[RoundQuality, ...]
    is_refused: bool
    """Whether the next round was refused, or returned no picture."""
    planned: int
    is_early: bool = False
    """Whether it was refused while most chains of its model are missing, and no other has come to its end:
    refusals end chains first, so until then they do not speak for the model."""

    def quality_at(self, number: int) -> float | None:
        """That of one round; 0 after a refusal."""
        if number <= len(self.rounds):
            return self.rounds[number - 1].quality
        return 0.0 if self.is_refused else None

    @property
    def score(self) -> float | None:
        """The mean quality over all planned rounds, from 0 to 1; None if the chain lacks a value, or is short
        for another reason than a refusal, or was refused early."""
        if self.is_early:
            return None
        qualities = [self.quality_at(number) for number in range(1, self.planned + 1)]
        known = [one for one in qualities if one is not None]
        return sum(known) / self.planned if len(known) == self.planned else None

    def usable(self, limits: Thresholds) -> tuple[int, Ending | None]:
        """The number of usable rounds, and the reason that ended them; None if none was observed."""
        for number, one in enumerate(self.rounds):
            reason = one.ending(limits)
            if reason is not None:
                return number, reason
            if one.quality is None:
                return number, None
        return len(self.rounds), "refused" if self.is_refused else None


def chains_of(results: Results, decisions: EditDecisions, grades: ReversalGrades) -> list[Chain]:
    """Every chain that was started."""
    returns: dict[tuple[str, str, int], dict[int, Return]] = {}
    failed: dict[tuple[str, str, int], list[FailedStep]] = {}
    pictures: dict[str, str] = {}
    for item in results.returns:
        returns.setdefault((item.model, item.case, item.seed), {})[item.round] = item
        pictures[item.case] = item.picture
    faces = rounds_with_faces(results)
    begun: tuple[Return | FailedStep, ...] = (*results.returns, *results.troubles)
    is_global = {item.case: edit_scope(item.category) == "global" for item in begun}
    for step in results.troubles:
        failed.setdefault((step.model, step.case, step.seed), []).append(step)
        pictures[step.case] = step.picture
    chains = [
        _chain(
            key,
            returns.get(key, {}),
            failed.get(key, ()),
            results.rounds,
            decisions,
            grades,
            is_global,
            pictures,
            faces,
        )
        for key in dict.fromkeys((*returns, *failed))
    ]
    early = _models_with_refusals_alone(chains, {use.model: use.trajectories for use in results.uses})
    return [replace(one, is_early=one.is_refused) if one.model in early else one for one in chains]


def _models_with_refusals_alone(chains: Iterable[Chain], planned: Mapping[str, int]) -> set[str]:
    """Models of which refused chains have a score and no other has, while most are missing. If most were
    refused, the rest does not change what the model is."""
    by_model: dict[str, list[Chain]] = {}
    for one in chains:
        by_model.setdefault(one.model, []).append(one)
    found = set()
    for model, begun in by_model.items():
        scored = [one for one in begun if one.score is not None]
        is_less_than_half = 2 * len(scored) < max(len(begun), planned.get(model, 0))
        if scored and is_less_than_half and all(one.is_refused for one in scored):
            found.add(model)
    return found


def _chain(
    key: tuple[str, str, int],
    returns: Mapping[int, Return],
    failed: Iterable[FailedStep],
    planned: int,
    decisions: EditDecisions,
    grades: ReversalGrades,
    is_global: Mapping[str, bool],
    pictures: Mapping[str, str],
    faces: Container[CaseRound],
) -> Chain:
    model, case, seed = key
    rounds = []
    face_distance: float | None = None
    for number in range(1, planned + 1):
        if number not in returns:
            break
        decision = decisions.rounds.get((model, case, seed, number))
        happened = decision.happened if decision else None
        if (case, number) in faces:
            face_distance = face_distance_of(returns[number].values)
        measured = _quality(returns[number], happened, is_global.get(case, False), face_distance)
        is_judged = case in grades.cases
        grade = grades.rounds.get((model, case, seed, number))
        rounds.append(_graded(measured, grade) if is_judged else measured)
    following = len(rounds) + 1
    is_refused = any(step.round == following and step.kind_of_failure in REFUSALS for step in failed)
    return Chain(model, case, seed, pictures[case], tuple(rounds), is_refused, planned)


def _quality(
    item: Return, happened: bool | None, is_global: bool, face_distance: float | None
) -> RoundQuality:
    left_behind = item.values.get("left_behind")
    return RoundQuality(
        happened=happened,
        undid=undid_seen(item.values, face_distance),
        kept=None if is_global else kept_seen(item.values),
        is_global=is_global,
        left_behind=left_behind.value if left_behind else None,
        face_distance=face_distance,
    )


def _graded(measured: RoundQuality, grade: ReversalGrade | None) -> RoundQuality:
    """With the judges' word on what was undone instead of the measured one."""
    if grade is None:
        return replace(measured, undid=None, left_behind=None)
    return replace(measured, undid=grade.restored, left_behind=1 - grade.undone)
