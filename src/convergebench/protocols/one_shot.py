"""One shot: a single edit, judged on its own."""

from __future__ import annotations

from convergebench.protocols.base import EditingProtocol, protocol
from convergebench.types import Case, Edit


@protocol(part="", undoes=False)
def one_shot() -> EditingProtocol:
    """Edit once, from all of the case's pictures; nothing returns, so nothing is compared with the source."""

    async def run(case: Case, edit: Edit) -> None:
        await edit(case.sources, case.forward, role="edit", round=1)

    return EditingProtocol("one_shot", run, rounds=1, edits=1, returns=frozenset())
