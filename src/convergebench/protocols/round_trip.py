"""Round trip: edit, undo, again and again."""

from __future__ import annotations

from convergebench.protocols.base import EditingProtocol, protocol
from convergebench.types import Case, Edit, Image


@protocol(part="")
def round_trip(rounds: int) -> EditingProtocol:
    """Edit forward, edit back, `rounds` times; the original is the reference for every return."""

    async def run(case: Case, edit: Edit) -> None:
        assert case.backward is not None
        image: Image = case.source
        for n in range(1, rounds + 1):
            forward = await edit(image, case.forward, role="forward", round=n)
            image = await edit(forward, case.backward, role="backward", round=n)

    return EditingProtocol("round_trip", run, rounds, edits=2 * rounds, returns=frozenset({"backward"}))
