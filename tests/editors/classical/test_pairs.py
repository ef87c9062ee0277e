from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pytest

from convergebench.editors.classical import edit_pixels
from convergebench.suites._pairs import PAIRS, EditPair
from convergebench.types import Pixels, Refused
from editors.classical.likeness import colour_difference


@dataclass(frozen=True)
class Outcome:
    on: Literal["portrait", "landscape"]
    refused_forward: str = ""
    refused_backward: str = ""


WORN, PLACED, WHOLE = Outcome("portrait"), Outcome("landscape"), Outcome("landscape")

OUTCOMES: dict[str, Outcome] = {
    "glasses_add_remove": WORN,
    "sunglasses_add_remove": WORN,
    "hat_add_remove": WORN,
    "earrings_add_remove": WORN,
    "necklace_add_remove": WORN,
    "scarf_add_remove": WORN,
    "beard_add_remove": WORN,
    "mustache_add_remove": WORN,
    "watch_add_remove": Outcome("portrait", "cannot find a wrist", "cannot find a wrist"),
    "chair_add_remove": PLACED,
    "red_ball_add_remove": PLACED,
    "plant_add_remove": PLACED,
    "coffee_cup_add_remove": PLACED,
    "book_add_remove": PLACED,
    "cat_add_remove": PLACED,
    "dog_add_remove": PLACED,
    "flower_vase_add_remove": PLACED,
    "umbrella_add_remove": PLACED,
    "horizontal_flip": WHOLE,
    "rotate_90_cw": WHOLE,
    "vertical_flip": WHOLE,
    "tone_warm_cool": WHOLE,
    "sepia_and_back": Outcome("landscape", refused_backward="cannot invent them"),
    "smile_and_back": WORN,
    "eyes_close_open": Outcome("portrait", "cannot draw eyelids", "cannot know what closed eyes"),
    "light_brighten_darken": WHOLE,
    "day_night": WHOLE,
    "snow_add_remove": WHOLE,
    "fog_add_remove": WHOLE,
    "background_blur_sharpen": Outcome("portrait"),
}


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.id)
def test_every_pair_is_served_or_refused_with_a_reason(
    request: pytest.FixtureRequest, pair: EditPair
) -> None:
    outcome = OUTCOMES[pair.id]
    source: Pixels = request.getfixturevalue(outcome.on)
    forward = after(source, pair.forward, outcome.refused_forward)
    back = after(forward, pair.backward, outcome.refused_backward)
    if not outcome.refused_forward:
        assert not np.array_equal(forward, source)
    if not outcome.refused_forward and not outcome.refused_backward:
        assert back.shape == source.shape
        assert forward.shape != source.shape or (
            colour_difference(source, back) < colour_difference(source, forward)
        )
    if pair.category == "geometric":
        assert np.array_equal(back, source)


def after(picture: Pixels, instruction: str, refused: str) -> Pixels:
    """The edited picture, or the same one where the edit must be refused."""
    if not refused:
        return edit_pixels(picture, instruction)
    with pytest.raises(Refused, match=refused):
        edit_pixels(picture, instruction)
    return picture
