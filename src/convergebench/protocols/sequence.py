"""Sequence: several edits in a row, undone in reverse."""

from __future__ import annotations

from convergebench.protocols.base import EditingProtocol, protocol
from convergebench.types import Case, Edit, Image


@protocol(cases=lambda chosen: chosen.chained(chosen.settings["edits"]))
def sequence(rounds: int, edits: int = 3) -> EditingProtocol:
    """Make `edits` edits, then undo them, the last one first, `rounds` times."""

    async def run(case: Case, edit: Edit) -> None:
        assert len(case.edits) == edits
        image: Image = case.source
        for n in range(1, rounds + 1):
            for place, step in enumerate(case.edits, start=1):
                image = await edit(image, step.forward, role=_numbered("forward", place), round=n)
            for place, step in reversed(list(enumerate(case.edits, start=1))):
                role = "backward" if place == 1 else _numbered("undo", place)
                image = await edit(image, step.backward, role=role, round=n)

    return EditingProtocol("sequence", run, rounds, edits=2 * edits * rounds, returns=frozenset({"backward"}))


def _numbered(role: str, place: int) -> str:
    return role if place == 1 else f"{role}_{place}"
