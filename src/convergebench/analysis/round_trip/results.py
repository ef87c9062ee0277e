"""The input of the analysis: the returns, failures and usage of every model in a suite."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from convergebench.analysis.round_trip.reported_rounds import rounds_measured
from convergebench.analysis.round_trip.return_table import ReturnTable
from convergebench.analysis.round_trip.round_verdicts import NO_VERDICTS, RoundVerdicts
from convergebench.errors import WrongUse
from convergebench.types import FailureKind, Measurement, MetricFacts, Reversibility, SuiteId

Role: TypeAlias = Literal["model", "probe", "floor"]
Edits: TypeAlias = Literal["reversible", "partially reversible"]
_MOST_ENDINGS = 3


@dataclass(slots=True, unsafe_hash=True)
class Return:
    """One return of a trajectory: the picture after edit and undo, compared with the source.

    Never changed, though not frozen: there can be very many, and a frozen object takes four times as long to
    make.
    """

    model: str
    """Label, unique per editor fingerprint."""
    role: Role
    case: str
    picture: str
    """The source picture's id: the cluster for statistics."""
    pair: str
    kind: str
    category: str
    seed: int
    round: int
    """From 1 to the number of rounds."""
    digest: str
    values: Mapping[str, Measurement]
    """By metric name; a value, or missing with the reason."""
    moved: Mapping[str, Measurement] = field(default_factory=dict)
    """This return against the previous one, by metric name; empty for the first, or if not measured."""
    forwards: tuple[Mapping[str, Measurement], ...] = ()
    """Each forward edit of the round against its input, by metric name; empty if not measured."""
    imported: bool = False
    """Whether it was created or measured elsewhere."""
    reversibility: Reversibility = "reversible"
    """The class of the edit, or of the least reversible one if there are several."""
    verdicts: RoundVerdicts = NO_VERDICTS
    content: str = ""
    """Identifies source and instructions, equal in all suites and workspaces; empty for imported tables."""


@dataclass(frozen=True)
class FailedStep:
    """A step without a picture."""

    model: str
    case: str
    picture: str
    pair: str
    kind: str
    category: str
    seed: int
    round: int
    role: str
    """The step's role, such as forward or backward."""
    kind_of_failure: FailureKind
    reason: str
    reversibility: Reversibility = "reversible"
    forwards: tuple[Mapping[str, Measurement], ...] = ()
    """Like those of a return, if all forward edits of the round were created before the step that failed."""
    verdicts: RoundVerdicts = NO_VERDICTS
    content: str = ""
    """As in a return."""


@dataclass(frozen=True)
class ModelUse:
    """The requests to a model, and their cost and time."""

    model: str
    role: Role
    trajectories: int
    complete: int
    edits: int
    failures: int
    mean_seconds: float | None
    cost_usd: float | None
    """Includes the charges for failed attempts; None if an edit's price is unknown."""
    pastes_back: bool = False
    """Whether its results are laid back on their input, so that it keeps the rest by construction."""


@dataclass(frozen=True)
class TrajectoryRows:
    """The trajectories of one model as rows of a table, and the place of each of its returns in it."""

    pictures: Mapping[tuple[str, int], str]
    """The source picture of each row, by case and seed."""
    row: NDArray[np.intp]
    round: NDArray[np.intp]


@dataclass(frozen=True)
class Results:
    """Everything known about the models that ran on one suite."""

    suite: SuiteId
    rounds: int
    metrics: tuple[MetricFacts, ...]
    returns: Sequence[Return]
    troubles: tuple[FailedStep, ...]
    uses: tuple[ModelUse, ...]
    protocol: str = "round_trip"
    edits: Edits = "reversible"
    """The kind of edits that these results cover; the two kinds are never averaged together."""
    partial: Results | None = None
    """The same models on the suite's partially reversible edits, if these results cover the others."""
    planned_rounds: int | None = None
    """What was asked for, if no chain has come so far yet; `rounds` is then the last that all have."""
    visible: float | None = None
    """The least visible difference of the rest, if it is not the one that was measured with."""

    def facts(self, metric: str) -> MetricFacts:
        for facts in self.metrics:
            if facts.name == metric:
                return facts
        if not self.metrics:
            raise WrongUse(self._why_unmeasured())
        known = ", ".join(facts.name for facts in self.metrics)
        raise WrongUse(f"there is no metric {metric} in these results; choose one of: {known}")

    def has(self, metric: str) -> bool:
        """Whether the metric was tried on any return."""
        return self.table.has(metric)

    def _why_unmeasured(self) -> str:
        if self.returns:
            return "nothing is measured yet; run convergebench measure"
        again = "rerun the command to continue"
        if not self.troubles:
            return f"nothing is measured yet, because there is no return yet; {again}"
        reason = f"nothing to measure, because there is no return: {'; '.join(self._endings())}"
        refused = sum(trouble.kind_of_failure == "refused" for trouble in self.troubles)
        # A refusal is a result and never requested again.
        is_final = refused == max(len(self.troubles), sum(use.trajectories for use in self.uses))
        return reason if is_final else f"{reason}; {again}"

    def _endings(self) -> Iterator[str]:
        """How chains ended, such as "2 of 3 chains of m refused (too dark)"."""
        planned = {use.model: use.trajectories for use in self.uses}
        endings = Counter((one.model, one.kind_of_failure, one.reason) for one in self.troubles)
        failed = Counter(one.model for one in self.troubles)
        for (model, kind, reason), count in endings.most_common(_MOST_ENDINGS):
            of_chains = f"of {max(planned.get(model, 0), failed[model])} chains of {model}"
            yield f"{count} {of_chains} {kind.replace('_', ' ')} ({' '.join(reason.split())})"
        if len(endings) > _MOST_ENDINGS:
            yield "and more"

    @property
    def headline(self) -> tuple[MetricFacts, ...]:
        """The metrics that measure how much is preserved; drift gives the direction, and regions the
        place."""
        return tuple(facts for facts in self.metrics if facts.dimension not in ("drift", "region"))

    @property
    def chief(self) -> str:
        """The default metric for ranking: SSIM, or otherwise the first that was measured."""
        names = [facts.name for facts in self.metrics]
        return names[0] if names and "ssim" not in names else "ssim"

    def round_or_last(self, round: int | None) -> int:
        if round is None:
            return self.rounds
        if not 1 <= round <= self.rounds:
            raise WrongUse(f"there is no round {round}; choose one from 1 to {self.rounds}")
        return round

    def after(self, rounds: int) -> Results:
        """As if each chain had ended after so many rounds."""
        if rounds >= self.rounds:
            return self
        return replace(
            self,
            rounds=rounds,
            returns=self.table.at(np.flatnonzero(self.table.round <= rounds)),
            troubles=tuple(one for one in self.troubles if one.round <= rounds),
            partial=self.partial and self.partial.after(rounds),
            planned_rounds=None,
        )

    def roles(self) -> dict[str, Role]:
        """Every model that was used or tried, in order of appearance."""
        return dict(self._roles)

    @cached_property
    def table(self) -> ReturnTable:
        """The returns as columns."""
        return ReturnTable.of(self.returns)

    def is_measured_at(self, facts: MetricFacts, model: str, round: int) -> bool:
        """Whether a metric that by default measures some rounds only has values of this one, or of none."""
        measured = self._rounds_measured.get((facts.name, model)) if facts.is_sampled else None
        return measured is None or round in measured

    @cached_property
    def _rounds_measured(self) -> Mapping[tuple[str, str], Set[int]]:
        sampled = [facts.name for facts in self.metrics if facts.is_sampled]
        return rounds_measured(self.table, sampled, self.rounds)

    @cached_property
    def _roles(self) -> dict[str, Role]:
        roles: dict[str, Role] = {}
        for use in self.uses:
            roles.setdefault(use.model, use.role)
        for one, _ in self.table.by_trajectory():
            roles.setdefault(one.model, one.role)
        for trouble in self.troubles:
            # A model with nothing but failures has no recorded role.
            roles.setdefault(trouble.model, "model")
        return roles

    @cached_property
    def returned_rounds(self) -> Mapping[tuple[str, str, int], Set[int]]:
        """The rounds that each started trajectory (model, case and seed) returned from, if any, in order of
        appearance."""
        rounds: dict[tuple[str, str, int], set[int]] = {}
        for one, numbers in self.table.by_trajectory():
            rounds.setdefault((one.model, one.case, one.seed), set()).update(numbers)
        for trouble in self.troubles:
            rounds.setdefault((trouble.model, trouble.case, trouble.seed), set())
        return rounds

    @cached_property
    def returns_by_model(self) -> Mapping[str, ReturnTable]:
        table = self.table
        models = [one.model for one in table.trajectories]
        numbers = {model: number for number, model in enumerate(dict.fromkeys(models))}
        of_return = np.array([numbers[model] for model in models], np.intp)[table.trajectory]
        places = {model: np.flatnonzero(of_return == number) for model, number in numbers.items()}
        grouped = {model: table.at(found) for model, found in places.items() if len(found)}
        return dict(sorted(grouped.items(), key=lambda item: int(places[item[0]][0])))

    @cached_property
    def trajectory_rows(self) -> Mapping[str, TrajectoryRows]:
        """By model, like `returns_by_model`."""
        found = {}
        for model, returns in self.returns_by_model.items():
            places, number = np.unique(returns.trajectory, return_inverse=True)
            trajectories = [returns.trajectories[place] for place in places.tolist()]
            pictures: dict[tuple[str, int], str] = {}
            for one in trajectories:
                pictures.setdefault((one.case, one.seed), one.picture)  # that of the first return
            rows = {key: row for row, key in enumerate(pictures)}
            row = np.array([rows[one.case, one.seed] for one in trajectories], np.intp)
            found[model] = TrajectoryRows(pictures, row[number], returns.round)
        return found

    def returns_by_round(self) -> Mapping[tuple[str, int], ReturnTable]:
        """The returns of each model at each round."""
        return self._returns_by_round

    @cached_property
    def _returns_by_round(self) -> dict[tuple[str, int], ReturnTable]:
        return {
            (model, number): returns.at(np.flatnonzero(returns.round == number))
            for model, returns in self.returns_by_model.items()
            for number in np.unique(returns.round).tolist()
        }
