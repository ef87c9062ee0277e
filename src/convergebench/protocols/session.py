"""Sessions: the instructions of several turns, given one after the other, at once, or each on its own."""

from __future__ import annotations

from dataclasses import replace

from convergebench.errors import WrongUse
from convergebench.protocols.base import INDEPENDENT, PASS, TURN, ChosenCases, EditingProtocol, protocol
from convergebench.suites.case_hints import with_tasks
from convergebench.types import Case, Edit, Image


def _sessions(chosen: ChosenCases) -> tuple[Case, ...]:
    return tuple(with_tasks(case) for case in chosen.cases if case.turns)


def _joined(chosen: ChosenCases) -> tuple[Case, ...]:
    """Turn t asks for the turns 1 to t at once."""
    found = []
    for case in _sessions(chosen):
        asked = [turn.instruction.strip() for turn in case.turns]
        turns = tuple(
            replace(turn, instruction=" ".join(_sentence(one) for one in asked[:number]))
            for number, turn in enumerate(case.turns, start=1)
        )
        found.append(replace(case, turns=turns, forward=turns[-1].instruction))
    return tuple(found)


def _sentence(instruction: str) -> str:
    """
    >>> _sentence("add a hat"), _sentence("Add a hat.")
    ('add a hat.', 'Add a hat.')
    """
    return instruction if instruction[-1:] in ".!?。！？" else f"{instruction}."


def _from_true_pictures(chosen: ChosenCases) -> tuple[Case, ...]:
    """Each session with the true picture of every turn; sessions without them are left out."""
    found = []
    for case in _sessions(chosen):
        starts = (case.source, *(turn.start for turn in case.turns[1:]))
        sources = tuple(start for start in starts if start is not None)
        if len(sources) == len(starts):
            found.append(replace(case, sources=sources))
    if not found:
        raise WrongUse("independent needs the true picture before each turn, and this suite has none")
    return tuple(found)


@protocol(cases=_sessions, undoes=False, by_turn=True)
def session() -> EditingProtocol:
    """Each instruction on the last result; nothing is undone."""

    async def run(case: Case, edit: Edit) -> None:
        image: Image = case.source
        for number, turn in enumerate(case.turns, start=1):
            image = await edit(image, turn.instruction, role=TURN, round=number)

    return EditingProtocol("session", run, rounds=1, edits=1, returns=frozenset(), by_turn=True)


@protocol(cases=_joined, undoes=False, by_turn=True)
def singlepass() -> EditingProtocol:
    """All instructions up to each turn joined into one edit of the source."""

    async def run(case: Case, edit: Edit) -> None:
        for number, turn in enumerate(case.turns, start=1):
            await edit(case.source, turn.instruction, role=PASS, round=number)

    return EditingProtocol("singlepass", run, rounds=1, edits=1, returns=frozenset(), by_turn=True)


@protocol(cases=_from_true_pictures, undoes=False, by_turn=True)
def independent() -> EditingProtocol:
    """Each turn on the true picture that it should start from, whatever the model made of the turn before."""

    async def run(case: Case, edit: Edit) -> None:
        for number, (source, turn) in enumerate(zip(case.sources, case.turns, strict=True), start=1):
            await edit(source, turn.instruction, role=INDEPENDENT, round=number)

    return EditingProtocol("independent", run, rounds=1, edits=1, returns=frozenset(), by_turn=True)
