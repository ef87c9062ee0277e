from __future__ import annotations

import pytest

from convergebench.instructions.captions import captions
from convergebench.metrics import clip_direction
from convergebench.suites import PAIRS


def test_of_the_built_in_edits_only_the_geometric_ones_have_no_captions() -> None:
    without = {pair.category for pair in PAIRS if captions(pair.forward) is None}
    having = {pair.category for pair in PAIRS if captions(pair.forward) is not None}
    assert without == {"geometric"}
    assert without.isdisjoint(having)


@pytest.mark.parametrize("category", ["accessories", "scene_objects"])
def test_a_pairs_own_words_are_those_read_out_of_its_instruction_so_that_old_values_stay_valid(
    category: str,
) -> None:
    for pair in PAIRS:
        if pair.category == category:
            assert captions(pair.forward) == clip_direction.captions(pair.forward)


def test_what_is_no_built_in_edit_is_read_as_before() -> None:
    instruction = "Replace the cat with a dog."
    assert captions(instruction) == clip_direction.captions(instruction)
