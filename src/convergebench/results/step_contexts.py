"""The key of measurements by region: a digest of the chain up to the step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from convergebench.protocols import RETURN_ROLES
from convergebench.protocols.chain_context import ChainContext
from convergebench.results.chain_steps import ChainSteps
from convergebench.results.steps import StepRecord
from convergebench.results.trajectories import CaseRecord, TrajectoryRecord
from convergebench.types import Digest


def step_contexts(
    steps: Sequence[StepRecord], trajectories: Mapping[int, TrajectoryRecord]
) -> dict[tuple[int, int], Digest]:
    """By trajectory and position; steps that only undo have none."""
    chains: dict[int, list[StepRecord]] = {}
    for step in steps:
        chains.setdefault(step.trajectory, []).append(step)
    return {
        (trajectory, position): context
        for trajectory, of_chain in chains.items()
        for position, context in chain_contexts(
            ChainSteps.of(of_chain), trajectories[trajectory].case
        ).items()
    }


def chain_contexts(chain: ChainSteps, case: CaseRecord) -> dict[int, Digest]:
    """The same of one trajectory, by position."""
    found: dict[int, Digest] = {}
    context: ChainContext | None = None
    for position, role, instruction, inputs, picture in zip(
        chain.positions, chain.roles, chain.instructions, chain.inputs, chain.pictures, strict=True
    ):
        if picture is None:
            continue
        if context is None:
            context = ChainContext(inputs[0], case.pair, case.category)
        if role in RETURN_ROLES:
            found[position] = context.returned()
        elif (forward := context.forward(role, instruction, inputs[0], picture)) is not None:
            found[position] = forward
    return found
