"""The key of measurements by region: a digest of the chain up to the step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from convergebench.protocols import RETURN_ROLES
from convergebench.protocols.chain_context import ChainContext
from convergebench.results.steps import StepRecord
from convergebench.results.trajectories import TrajectoryRecord
from convergebench.types import Digest


def step_contexts(
    steps: Sequence[StepRecord], trajectories: Mapping[int, TrajectoryRecord]
) -> dict[tuple[int, int], Digest]:
    """By trajectory and position; steps that only undo have none."""
    found: dict[tuple[int, int], Digest] = {}
    chains: dict[int, ChainContext] = {}
    for step in steps:
        if step.picture is None:
            continue
        case = trajectories[step.trajectory].case
        chain = chains.get(step.trajectory)
        if chain is None:
            chain = chains[step.trajectory] = ChainContext(step.inputs[0], case.pair, case.category)
        if step.role in RETURN_ROLES:
            found[step.trajectory, step.position] = chain.returned()
        else:
            context = chain.forward(step.role, step.instruction, step.inputs[0], step.picture)
            if context is not None:
                found[step.trajectory, step.position] = context
    return found
