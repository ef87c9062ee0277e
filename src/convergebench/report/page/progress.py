"""How a run is getting on, for a live page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from convergebench.protocols import RETURN_ROLES
from convergebench.results import Records
from convergebench.results.run_activity import RecentStep, run_activity
from convergebench.results.steps import StepRecord
from convergebench.results.trajectories import TrajectoryRecord
from convergebench.types import FINAL_FAILURES

_PICTURES, _FAILURES = 8, 6


def progress_section(records: Records, steps: Mapping[int, list[StepRecord]]) -> dict[str, Any] | None:
    """Progress, speed, cost, newest pictures and failures; None if no run is going on."""
    activity = run_activity(records)
    if activity is None:
        return None
    owners = {identity: found[0] for identity, found in records.newest.items()}
    planned, done = _counts(owners, steps, activity.run)
    speed = activity.edits_per_second
    named = [(step, owners[step.trajectory]) for step in activity.latest if step.trajectory in owners]
    made = [_named(step, owner) for step, owner in named if step.picture]
    failed = [_named(step, owner) for step, owner in named if step.failure]
    return {
        "started": activity.started,
        "last": activity.latest[0].at if activity.latest else None,
        "planned": planned,
        "done": done,
        "seconds_left": max(0, planned - done) / speed if speed else None,
        "edits": activity.edits,
        "cost_usd": activity.cost_usd,
        "pictures": made[:_PICTURES],
        "failures": failed[:_FAILURES],
    }


def _counts(
    owners: Mapping[int, TrajectoryRecord], steps: Mapping[int, list[StepRecord]], run: int
) -> tuple[int, int]:
    """Edits that all trajectories take, and those that are made or that this run will not make."""
    per_round: Counter[str] = Counter()
    for identity, owner in owners.items():
        rounds = Counter(step.round for step in steps.get(identity, ()))
        per_round[owner.protocol] = max(per_round[owner.protocol], *rounds.values(), 1)
    planned = done = 0
    for identity, owner in owners.items():
        wanted = owner.rounds * max(per_round[owner.protocol], 2 if owner.rounds > 1 else 1)
        taken = steps.get(identity, [])
        is_over = any(_ends_in(run, step) for step in taken)
        planned += wanted
        done += wanted if is_over else min(wanted, sum(step.picture is not None for step in taken))
    return planned, done


def _ends_in(run: int, step: StepRecord) -> bool:
    """Whether its trajectory is over in this run: a failure of an earlier one is tried again, unless it is
    final."""
    return step.failure is not None and (step.run == run or step.failure in FINAL_FAILURES)


def _named(step: RecentStep, owner: TrajectoryRecord) -> dict[str, Any]:
    return {
        "model": owner.model,
        "case": owner.case.id,
        "asked": owner.case.forward,
        "seed": owner.seed,
        "protocol": owner.protocol,
        "suite": owner.case.suite,
        "round": step.round,
        "is_return": step.role in RETURN_ROLES,
        "digest": step.picture,
        "failure": step.failure,
        "reason": step.reason,
        "at": step.at,
    }
