"""Cross edits: two edits in a row, undone in either order."""

from __future__ import annotations

from convergebench.protocols.base import EditingProtocol, protocol
from convergebench.types import Case, Edit, Image


@protocol(cases=lambda chosen: chosen.chained(2))
def cross_edit(rounds: int) -> EditingProtocol:
    """Edit A, edit B, undo B, undo A, `rounds` times."""

    async def run(case: Case, edit: Edit) -> None:
        a, b = case.edits
        image: Image = case.source
        for n in range(1, rounds + 1):
            with_a = await edit(image, a.forward, role="forward", round=n)
            with_both = await edit(with_a, b.forward, role="forward_2", round=n)
            with_a_again = await edit(with_both, b.backward, role="undo_2", round=n)
            image = await edit(with_a_again, a.backward, role="backward", round=n)

    return EditingProtocol("cross_edit", run, rounds, edits=4 * rounds, returns=frozenset({"backward"}))


@protocol(cases=lambda chosen: chosen.chained(2))
def cross_edit_swapped(rounds: int) -> EditingProtocol:
    """Edit A, edit B, undo A while B is still there, undo B, `rounds` times."""

    async def run(case: Case, edit: Edit) -> None:
        a, b = case.edits
        image: Image = case.source
        for n in range(1, rounds + 1):
            with_a = await edit(image, a.forward, role="forward", round=n)
            with_both = await edit(with_a, b.forward, role="forward_2", round=n)
            with_b = await edit(with_both, a.backward, role="undo", round=n)
            image = await edit(with_b, b.backward, role="backward", round=n)

    return EditingProtocol(
        "cross_edit_swapped", run, rounds, edits=4 * rounds, returns=frozenset({"backward"})
    )
