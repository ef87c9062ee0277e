"""What the analysis starts from: the returns, troubles and use of every model in a suite."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from convergebench.errors import WrongUse
from convergebench.types import FailureKind, Measurement, MetricFacts, Reversibility

Role: TypeAlias = Literal["model", "probe", "floor"]
Edits: TypeAlias = Literal["reversible", "partially reversible"]


@dataclass(frozen=True, slots=True)
class Return:
    """One return of a trajectory: the picture after edit and undo, compared with the source."""

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
    """This return against the one before it, by metric name; empty at the first, or where not measured."""
    forwards: tuple[Mapping[str, Measurement], ...] = ()
    """Each forward edit of the round against its input, by metric name; empty where not measured."""
    imported: bool = False
    """Whether it was made or measured elsewhere."""
    reversibility: Reversibility = "reversible"
    """The class of the edit, or of the least reversible one where there are several."""


@dataclass(frozen=True)
class Trouble:
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


@dataclass(frozen=True)
class ModelUse:
    """What a model was asked for, and what it took."""

    model: str
    role: Role
    trajectories: int
    complete: int
    edits: int
    failures: int
    mean_seconds: float | None
    cost_usd: float | None


@dataclass(frozen=True)
class Results:
    """Everything known about the models that ran on one suite."""

    suite: str
    rounds: int
    metrics: tuple[MetricFacts, ...]
    returns: tuple[Return, ...]
    troubles: tuple[Trouble, ...]
    uses: tuple[ModelUse, ...]
    protocol: str = "round_trip"
    edits: Edits = "reversible"
    """Which edits these are the results of; the two kinds are never averaged together."""
    partial: Results | None = None
    """The same models on the suite's partially reversible edits, where these results are of the others."""

    def facts(self, metric: str) -> MetricFacts:
        for facts in self.metrics:
            if facts.name == metric:
                return facts
        if not self.metrics:
            raise WrongUse("nothing is measured yet; let a return be made, then run convergebench measure")
        known = ", ".join(facts.name for facts in self.metrics)
        raise WrongUse(f"there is no metric {metric} in these results; choose one of: {known}")

    @property
    def headline(self) -> tuple[MetricFacts, ...]:
        """What says how much is left; drift says in which way it went."""
        return tuple(facts for facts in self.metrics if facts.dimension != "drift")

    @property
    def chief(self) -> str:
        """The metric that ranks unless somebody chooses: SSIM, or else the first that was measured."""
        names = [facts.name for facts in self.metrics]
        return names[0] if names and "ssim" not in names else "ssim"

    def roles(self) -> dict[str, Role]:
        """Every model that was used or tried, in order of appearance."""
        roles: dict[str, Role] = {}
        seen: tuple[ModelUse | Return, ...] = (*self.uses, *self.returns)
        for item in seen:
            roles.setdefault(item.model, item.role)
        for trouble in self.troubles:
            # A model known by its failures alone has no role on record.
            roles.setdefault(trouble.model, "model")
        return roles

    def returns_by_round(self) -> dict[tuple[str, int], list[Return]]:
        """The returns of each model at each round."""
        grouped: dict[tuple[str, int], list[Return]] = {}
        for item in self.returns:
            grouped.setdefault((item.model, item.round), []).append(item)
        return grouped
