"""Each protocol against its definition: the edits that it asks for, in order, from which picture."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from convergebench.errors import WrongUse
from convergebench.protocols import (
    BY_TURN,
    NAMES,
    RETURN_ROLES,
    RETURNING,
    EditingProtocol,
    cross_edit,
    cross_edit_swapped,
    is_forward,
    is_undoing,
    one_shot,
    protocol_cases,
    round_trip,
    sequence,
    stay,
)
from convergebench.types import Case, SourcePicture, Undoable

MakeCase = Callable[..., Case]


def asked_of(protocol: EditingProtocol, case: Case) -> list[tuple[Any, str, str, int]]:
    """What it asks for: from which picture, by its number, what, in which role and round."""
    found: list[tuple[Any, str, str, int]] = []

    async def edit(image: Any, instruction: str, *, role: str, round: int) -> Any:
        given = image[0] if isinstance(image, tuple) else image
        found.append((0 if isinstance(given, SourcePicture) else given, instruction, role, round))
        return len(found)

    asyncio.run(protocol.run(case, edit))
    return found


@pytest.fixture
def case(make_case: MakeCase) -> Case:
    return replace(make_case(), forward="A", backward="a", more=(Undoable("B", "b"),))


@pytest.fixture
def longer(case: Case) -> Case:
    return replace(case, more=(Undoable("B", "b"), Undoable("C", "c")))


def test_round_trip_goes_and_comes(case: Case) -> None:
    assert asked_of(round_trip(2), case) == [
        (0, "A", "forward", 1), (1, "a", "backward", 1), (2, "A", "forward", 2), (3, "a", "backward", 2),
    ]  # fmt: skip


def test_cross_edit_undoes_the_last_edit_first(case: Case) -> None:
    first, second = asked_of(cross_edit(2), case)[:4], asked_of(cross_edit(2), case)[4:]
    assert first == [
        (0, "A", "forward", 1), (1, "B", "forward_2", 1), (2, "b", "undo_2", 1), (3, "a", "backward", 1),
    ]  # fmt: skip
    assert second == [(given + 4, text, role, 2) for given, text, role, _ in first]


def test_cross_edit_swapped_undoes_the_first_edit_first(case: Case) -> None:
    assert asked_of(cross_edit_swapped(1), case) == [
        (0, "A", "forward", 1), (1, "B", "forward_2", 1), (2, "a", "undo", 1), (3, "b", "backward", 1),
    ]  # fmt: skip


def test_a_sequence_is_undone_in_reverse(longer: Case) -> None:
    assert [(text, role) for _, text, role, _ in asked_of(sequence(1, 3), longer)] == [
        ("A", "forward"), ("B", "forward_2"), ("C", "forward_3"),
        ("c", "undo_3"), ("b", "undo_2"), ("a", "backward"),
    ]  # fmt: skip


def test_a_sequence_of_two_is_a_cross_edit_and_one_of_one_a_round_trip(case: Case) -> None:
    assert asked_of(sequence(3, 2), case) == asked_of(cross_edit(3), case)
    single = replace(case, more=())
    assert asked_of(sequence(3, 1), single) == asked_of(round_trip(3), single)


def test_stay_asks_for_nothing_again_and_again(case: Case) -> None:
    assert asked_of(stay(2), case) == [(0, "A", "stay", 1), (1, "A", "stay", 2)]


def every_protocol(rounds: int) -> list[EditingProtocol]:
    made = [round_trip(rounds), cross_edit(rounds), cross_edit_swapped(rounds), sequence(rounds, 3)]
    return [*made, stay(rounds), one_shot()]


@pytest.mark.parametrize("number", range(6))
@pytest.mark.parametrize("rounds", [1, 4])
def test_a_protocols_facts_are_true_of_what_it_asks(
    number: int, rounds: int, case: Case, longer: Case
) -> None:
    protocol = every_protocol(rounds)[number]
    asked = asked_of(protocol, longer if protocol.name == "sequence" else case)
    assert len(asked) == protocol.edits
    assert {round for *_, round in asked} == set(range(1, protocol.rounds + 1))
    returns = [round for *_, role, round in asked if role in protocol.returns]
    assert returns == (list(range(1, rounds + 1)) if protocol.name in RETURNING else [])
    assert len({(role, round) for *_, role, round in asked}) == len(asked), "a role stands once in a round"


@pytest.mark.parametrize("protocol", every_protocol(2), ids=lambda protocol: protocol.name)
def test_a_role_means_the_same_in_every_protocol(protocol: EditingProtocol, case: Case, longer: Case) -> None:
    for _, _, role, _ in asked_of(protocol, longer if protocol.name == "sequence" else case):
        assert (role in RETURN_ROLES) == (role in protocol.returns)
        assert (role in RETURN_ROLES) + is_forward(role) + is_undoing(role) + (role == "edit") == 1


def test_the_protocols_by_name_are_those(case: Case) -> None:
    assert {protocol.name for protocol in every_protocol(1)} == set(NAMES) - set(BY_TURN)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("cross_edits", "did you mean cross_edit?"),
        ("stay?edits=2", "stay has no setting"),
        ("sequence?edits=none", "edits=N with N at least 1"),
        ("sequence?edits=0", "edits=N with N at least 1"),
        ("sequence?edits=9", "no picture has 9 edits"),
    ],
)
def test_a_name_that_means_nothing_is_wrong_use(name: str, said: str, make_case: MakeCase) -> None:
    cases = [make_case()]
    with pytest.raises(WrongUse) as raised:
        protocol_cases(name, 1, cases, cases)
    assert said in str(raised.value)


def test_without_a_name_it_is_what_the_cases_allow(make_case: MakeCase) -> None:
    undoable, single = make_case(), replace(make_case(), backward=None)
    assert protocol_cases("", 3, [undoable], [undoable]).protocol.name == "round_trip"
    assert protocol_cases("", 3, [single], [single]).protocol.name == "one_shot"
    with pytest.raises(WrongUse, match="needs edits that can be undone"):
        protocol_cases("round_trip", 3, [single], [single])
