"""Sessions: the turns of a case one upon the other, all at once, or each from the true picture."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from convergebench.errors import WrongUse
from convergebench.protocols import BY_TURN, RETURNING, EditingProtocol, protocol_cases
from convergebench.types import Case, SessionTurn, SourcePicture

Asked = list[tuple[Any, str, str, int]]


def asked_of(protocol: EditingProtocol, case: Case) -> Asked:
    """From which picture (a source by its id, a result by its number), what, in which role and round."""
    found: Asked = []

    async def edit(image: Any, instruction: str, *, role: str, round: int) -> Any:
        found.append((image.id if isinstance(image, SourcePicture) else image, instruction, role, round))
        return len(found)

    asyncio.run(protocol.run(case, edit))
    return found


@pytest.fixture
def session_case(make_source: Callable[..., SourcePicture]) -> Case:
    turns = (
        SessionTurn("Add a hat", "subject_add"),
        SessionTurn("Make it red.", "color_alter", start=make_source("after_1", seed=1)),
        SessionTurn("Remove the hat", "subject_remove", start=make_source("after_2", seed=2)),
    )
    return Case("s", (make_source("first"),), "Add a hat", turns=turns)


def test_session_gives_each_instruction_to_the_last_result(session_case: Case) -> None:
    chosen = protocol_cases("session", 10, [session_case], [session_case])
    assert asked_of(chosen.protocol, chosen.cases[0]) == [
        ("first", "Add a hat", "turn", 1), (1, "Make it red.", "turn", 2), (2, "Remove the hat", "turn", 3),
    ]  # fmt: skip


def test_singlepass_gives_all_instructions_so_far_to_the_source(session_case: Case) -> None:
    chosen = protocol_cases("singlepass", 10, [session_case], [session_case])
    assert asked_of(chosen.protocol, chosen.cases[0]) == [
        ("first", "Add a hat.", "pass", 1),
        ("first", "Add a hat. Make it red.", "pass", 2),
        ("first", "Add a hat. Make it red. Remove the hat.", "pass", 3),
    ]


def test_independent_starts_each_turn_from_the_true_picture(session_case: Case) -> None:
    chosen = protocol_cases("independent", 10, [session_case], [session_case])
    assert [(given, role) for given, _, role, _ in asked_of(chosen.protocol, chosen.cases[0])] == [
        ("first", "independent"), ("after_1", "independent"), ("after_2", "independent"),
    ]  # fmt: skip


def test_independent_refuses_sets_without_true_pictures(session_case: Case) -> None:
    bare = replace(session_case, turns=tuple(replace(turn, start=None) for turn in session_case.turns))
    with pytest.raises(WrongUse, match="true picture"):
        protocol_cases("independent", 10, [bare], [bare])


def test_a_case_of_several_turns_is_a_session_unless_said_otherwise(session_case: Case) -> None:
    chosen = protocol_cases("", 10, [session_case], [session_case])
    assert (chosen.protocol.name, chosen.part) == ("session", "session")
    assert chosen.protocol.edits_of(session_case) == chosen.protocol.rounds_of(session_case) == 3


def test_protocols_of_one_session_never_share_a_trajectory(session_case: Case) -> None:
    cases = [protocol_cases(name, 1, [session_case], [session_case]).cases[0] for name in BY_TURN]
    assert len({case.fingerprint for case in cases}) == len(BY_TURN) == 3
    assert not set(BY_TURN) & set(RETURNING)


def test_sessions_need_turns(make_case: Callable[..., Case]) -> None:
    case = make_case()
    with pytest.raises(WrongUse, match="several turns"):
        protocol_cases("session", 1, [case], [case])
