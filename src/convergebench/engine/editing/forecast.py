"""Edits, cost and time of a run, before any edit is requested."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from convergebench.engine.editing.plan import Plan
from convergebench.engine.run_limits import DEFAULT_LIMITS, RunLimits
from convergebench.engine.session import TRAJECTORIES_AT_ONCE
from convergebench.errors import EmptyWorkspace
from convergebench.results.edit_seconds import mean_edit_seconds
from convergebench.store import DATABASE, Workspace
from convergebench.types import Digest, EditorFacts

LARGE_COST_USD = 5.0
LARGE_SECONDS = 2 * 3600.0


@dataclass(frozen=True)
class ModelForecast:
    model: str
    fingerprint: Digest
    provider: str
    done: int
    to_do: int
    cost_usd: float | None
    """None if the price is unknown."""
    seconds: float | None
    """Until the last edit, with the run's concurrency; None if unknown."""


@dataclass(frozen=True)
class RunForecast:
    models: tuple[ModelForecast, ...]

    @property
    def edits(self) -> int:
        return sum(one.to_do for one in self.models)

    @property
    def cost_usd(self) -> float:
        """Of the models whose price is known."""
        return sum(one.cost_usd or 0.0 for one in self.models)

    @property
    def seconds(self) -> float:
        """Of the models whose speed is known: those of one provider share its limits, others run in
        parallel."""
        shared: dict[str, float] = {}
        for one in self.models:
            shared[one.provider] = shared.get(one.provider, 0.0) + (one.seconds or 0.0)
        return max(shared.values(), default=0.0)

    @property
    def is_resumed(self) -> bool:
        return any(one.done for one in self.models)

    @property
    def is_large(self) -> bool:
        return self.cost_usd > LARGE_COST_USD or self.seconds > LARGE_SECONDS

    def needs_consent(self, limits: RunLimits) -> bool:
        """Whether it is large, its cost is not limited, and nothing of it was started before."""
        is_limited = limits.max_cost_usd is not None or limits.max_total_usd is not None
        return self.is_large and not is_limited and not self.is_resumed

    @property
    def size(self) -> str:
        """Such as "3060 edits, about $61.20, about 2.1 h"."""
        unpriced = [one.model for one in self.models if one.cost_usd is None]
        beside = f", and what {', '.join(unpriced)} cost" if unpriced else ""
        is_timed = any(one.seconds is not None for one in self.models)
        time = written_time(self.seconds if is_timed else None)
        return f"{self.edits} edits, about ${self.cost_usd:.2f}{beside}, {time}"


def written_time(seconds: float | None) -> str:
    if seconds is None:
        return "time unknown"
    if seconds < 90:
        return f"about {seconds:.0f} s"
    return f"about {seconds / 60:.0f} min" if seconds < 5400 else f"about {seconds / 3600:.1f} h"


def forecast_run(
    plan: Plan, folder: Path, limits: RunLimits = DEFAULT_LIMITS, *, fresh: bool = False
) -> RunForecast:
    """What is left to do in a workspace, which need not exist, with the time that its edits took so far, or
    else the editors' typical time."""
    done: dict[tuple[str, str, int], int] = {}
    seconds: dict[Digest, float] = {}
    if (folder / DATABASE).is_file():
        with contextlib.suppress(EmptyWorkspace), Workspace.existing(folder) as workspace:
            seconds = mean_edit_seconds(workspace)
            done = {} if fresh else workspace.finished_edits(plan.protocol.name)
    return RunForecast(
        tuple(_forecast(plan, plan.recorded_facts(one), done, seconds, limits) for one in plan.editors)
    )


def _forecast(
    plan: Plan,
    facts: EditorFacts,
    done: Mapping[tuple[str, str, int], int],
    seconds: Mapping[Digest, float],
    limits: RunLimits,
) -> ModelForecast:
    finished = sum(
        min(done.get((facts.fingerprint, case.fingerprint, seed), 0), plan.protocol.edits_of(case))
        for case in plan.cases
        for seed in plan.seeds
    )
    to_do = plan.edits_each - finished
    cost = None if facts.price_usd is None else to_do * facts.price_usd
    each = seconds.get(facts.fingerprint, facts.typical_seconds)
    return ModelForecast(
        facts.title, facts.fingerprint, facts.provider, finished, to_do, cost,
        None if each is None else _wall_seconds(to_do, each, facts, limits),
    )  # fmt: skip


def _wall_seconds(edits: int, each: float, facts: EditorFacts, limits: RunLimits) -> float:
    # What runs on this machine is not faster for being asked more often than there are cores.
    most = facts.at_once or os.cpu_count() or 1
    at_once = limits.concurrency or min(TRAJECTORIES_AT_ONCE, most)
    per_minute = limits.per_minute or facts.per_minute
    slowest = edits * 60 / per_minute if per_minute else 0.0
    return max(edits * each / at_once, slowest)
