"""Stay: request no change, repeatedly; measures what an editor loses by processing alone."""

from __future__ import annotations

from convergebench.protocols.base import EditingProtocol, protocol
from convergebench.suites.chained_cases import staying
from convergebench.types import Case, Edit, Image


@protocol(cases=lambda chosen: staying(chosen.cases), undoes=False)
def stay(rounds: int) -> EditingProtocol:
    """Ask for no change, `rounds` times; every picture should equal the source."""

    async def run(case: Case, edit: Edit) -> None:
        image: Image = case.source
        for n in range(1, rounds + 1):
            image = await edit(image, case.forward, role="stay", round=n)

    return EditingProtocol("stay", run, rounds, edits=rounds, returns=frozenset({"stay"}))
