"""Refine: edit, inspect the result, reason about its defects, and edit once more."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Protocol

from convergebench.judges.reasoning import Advice
from convergebench.picture import Picture
from convergebench.protocols.base import EditingProtocol
from convergebench.types import Case, Edit

PRIMARY = "primary"
REFINED = "refined"
AT_ONCE, CHAINED = "refine", "refine_chained"
NAMES = (AT_ONCE, CHAINED)


class Reason(Protocol):
    """The reasoning function passed to the protocol; durable, like `edit`."""

    def __call__(self, case: Case, image: Picture, *, round: int) -> Awaitable[Advice]: ...


def refine(reason: Reason, rounds: int, *, chained: bool = False) -> EditingProtocol:
    """Edit once; then query the reasoner and make the edits it requests, `rounds` times or until it is
    satisfied.

    A round's instructions are combined into one edit or, if chained, applied in one edit each.
    """

    async def run(case: Case, edit: Edit) -> None:
        image = await edit(case.sources, case.forward, role=PRIMARY, round=0)
        for n in range(1, rounds + 1):
            advice = await reason(case, image, round=n)
            if not advice.instructions:
                return
            for instruction in advice.instructions if chained else (advice.as_one,):
                image = await edit(image, instruction, role=REFINED, round=n)

    # The number of instructions, if any, is not known in advance.
    return EditingProtocol(
        CHAINED if chained else AT_ONCE, run, rounds, edits=1 + rounds, returns=frozenset()
    )
