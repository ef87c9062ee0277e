from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

import pytest

from convergebench.judges.reasoning import Advice
from convergebench.picture import Picture
from convergebench.protocols import refine
from convergebench.types import Case, Image
from made_pictures import textured

CONTENT = Advice("as it should be", ())
TWO = Advice("two things", ("Lower the hat", "Add its shadow"))


def asked(
    case: Case, advice: Sequence[Advice], rounds: int, *, chained: bool
) -> tuple[list[tuple[str, str, int]], list[int]]:
    """What the protocol asks of its editor and of its reasoner, who gives this advice in turn."""
    edits: list[tuple[str, str, int]] = []
    looks: list[int] = []
    made: list[Picture] = []

    async def edit(image: Image | Sequence[Image], instruction: str, *, role: str, round: int) -> Picture:
        assert not made or image is made[-1], "every edit goes on from the one before"
        edits.append((role, instruction, round))
        made.append(Picture.from_pixels(textured(seed=len(made))))
        return made[-1]

    async def reason(looked_at: Case, image: Picture, *, round: int) -> Advice:
        assert (looked_at, image) == (case, made[-1])
        looks.append(round)
        return advice[len(looks) - 1]

    asyncio.run(refine(reason, rounds, chained=chained).run(case, edit))
    return edits, looks


@pytest.fixture
def case(make_case: Callable[..., Case]) -> Case:
    return make_case()


def test_nothing_is_edited_for_nothing(case: Case) -> None:
    assert asked(case, [CONTENT], 3, chained=True) == ([("primary", case.forward, 0)], [1])


def test_a_rounds_instructions_go_into_one_edit(case: Case) -> None:
    edits, looks = asked(case, [TWO], 1, chained=False)
    assert edits[1:] == [("refined", "Lower the hat; Add its shadow", 1)]
    assert looks == [1]


def test_chained_they_go_into_one_edit_each(case: Case) -> None:
    edits, _ = asked(case, [TWO], 1, chained=True)
    assert edits[1:] == [("refined", "Lower the hat", 1), ("refined", "Add its shadow", 1)]


def test_it_looks_again_after_every_round_until_the_reasoner_is_content(case: Case) -> None:
    edits, looks = asked(case, [TWO, TWO, CONTENT], 5, chained=False)
    assert ([round for _, _, round in edits], looks) == ([0, 1, 2], [1, 2, 3])
