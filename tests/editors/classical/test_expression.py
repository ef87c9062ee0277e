from __future__ import annotations

import numpy as np
import pytest

from convergebench.editors.classical import edit_pixels
from convergebench.types import Pixels, Refused
from editors.classical.likeness import likeness

SMILE, NEUTRAL = "Make the person smile broadly.", "Give the person a neutral expression."


def test_a_smile_changes_the_mouth_and_nothing_away_from_the_face(portrait: Pixels) -> None:
    smiling = edit_pixels(portrait, SMILE)
    rows, columns = np.nonzero((smiling != portrait).any(axis=2))
    # Her mouth is at about (162, 140) in this picture, her face a hundred pixels wide.
    assert rows.min() > 90
    assert rows.max() < 190
    assert columns.min() > 100
    assert columns.max() < 225


def test_a_neutral_face_undoes_a_smile_but_for_resampling(portrait: Pixels) -> None:
    mouth = (slice(110, 170), slice(125, 200))
    smiling = edit_pixels(portrait, SMILE)
    back = edit_pixels(smiling, NEUTRAL)
    assert likeness(portrait[mouth], back[mouth]) > likeness(portrait[mouth], smiling[mouth])
    assert not np.array_equal(back, portrait)


@pytest.mark.parametrize("instruction", [SMILE, NEUTRAL])
def test_without_a_face_nobody_smiles(scene: Pixels, instruction: str) -> None:
    with pytest.raises(Refused, match="no face found"):
        edit_pixels(scene, instruction)


@pytest.mark.parametrize("instruction", ["Close the person's eyes.", "Open the person's eyes."])
def test_eyes_are_refused_with_a_reason(portrait: Pixels, instruction: str) -> None:
    with pytest.raises(Refused, match=r"eyelids|closed eyes"):
        edit_pixels(portrait, instruction)
