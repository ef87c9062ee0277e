"""The requests to each model, with their cost and time."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from functools import reduce
from itertools import compress
from operator import add

from convergebench.analysis.round_trip.results import ModelUse
from convergebench.protocols import RETURN_ROLES
from convergebench.results.chain_steps import ChainSteps
from convergebench.results.trajectories import TrajectoryRecord
from convergebench.types import Digest


@dataclass
class _Counts:
    trajectories: list[TrajectoryRecord] = field(default_factory=list)
    complete: int = 0
    edits: int = 0
    failures: int = 0
    seconds: float = 0.0
    timed: int = 0
    spent_usd: float = 0.0
    is_priced: bool = True
    """Whether the price of every edit is known."""


@dataclass
class UsageCounts:
    """Counts the steps of trajectories by editor."""

    _by_editor: dict[Digest, _Counts] = field(default_factory=dict)

    @property
    def trajectories(self) -> list[TrajectoryRecord]:
        return [one for counts in self._by_editor.values() for one in counts.trajectories]

    def add(self, trajectory: TrajectoryRecord) -> None:
        """A trajectory, with or without steps."""
        self._by_editor.setdefault(trajectory.editor.fingerprint, _Counts()).trajectories.append(trajectory)

    def count(self, trajectory: TrajectoryRecord, chain: ChainSteps, imports: Collection[int]) -> None:
        """The steps of a trajectory that was added before."""
        counts = self._by_editor[trajectory.editor.fingerprint]
        is_made = [picture is not None for picture in chain.pictures]
        counts.edits += is_made.count(True)
        counts.failures += is_made.count(False)
        counts.is_priced &= None not in compress(chain.cost_usd, is_made)
        counts.spent_usd = reduce(add, filter(None, chain.spent_usd), counts.spent_usd)
        is_timed = is_made
        if imports:
            is_timed = [made and run not in imports for made, run in zip(is_made, chain.runs, strict=True)]
        counts.timed += is_timed.count(True)
        counts.seconds = reduce(add, compress(chain.seconds, is_timed), counts.seconds)
        returned = sum(map(RETURN_ROLES.__contains__, compress(chain.roles, is_made)))
        counts.complete += returned == trajectory.rounds

    def by_model(self) -> tuple[ModelUse, ...]:
        return tuple(_use(counts) for counts in self._by_editor.values())


def _use(counts: _Counts) -> ModelUse:
    first = counts.trajectories[0]
    return ModelUse(
        model=first.model,
        role=first.editor.role,
        trajectories=len(counts.trajectories),
        complete=counts.complete,
        edits=counts.edits,
        failures=counts.failures,
        mean_seconds=counts.seconds / counts.timed if counts.timed else None,
        cost_usd=counts.spent_usd if counts.is_priced else None,
        pastes_back=bool(first.editor.parameters.get("paste")),
    )
