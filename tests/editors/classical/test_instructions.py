from __future__ import annotations

import pytest

from convergebench.editors.classical.instructions import ACCESSORIES, OBJECTS, Command, parse
from convergebench.types import Refused


@pytest.mark.parametrize(
    ("instruction", "command"),
    [
        ("Add a pair of glasses to the person.", Command("add", "glasses")),
        ("Remove the glasses from the person.", Command("remove", "glasses")),
        ("put on sunglasses", Command("add", "sunglasses")),
        ("Take off the sunglasses", Command("remove", "sunglasses")),
        ("Take the sun glasses off.", Command("remove", "sunglasses")),
        ("Give her eyeglasses", Command("add", "glasses")),
        ("take off the hat", Command("remove", "hat")),
        ("Add a hat that suits the person", Command("add", "hat")),
        ("Add earrings to the person.", Command("add", "earrings")),
        ("Remove the necklace from the person.", Command("remove", "necklace")),
        ("Add a scarf around the person's neck.", Command("add", "scarf")),
        ("Add a beard to the person's face.", Command("add", "beard")),
        ("Get rid of the moustache!", Command("remove", "mustache")),
        ("Add a mustache to the person.", Command("add", "mustache")),
        ("Add a wristwatch", Command("add", "watch")),
        ("Add a red ball to the scene.", Command("add", "red ball")),
        ("Delete the ball", Command("remove", "red ball")),
        ("Place a potted plant in the corner", Command("add", "plant")),
        ("Add a cup of coffee on the table", Command("add", "coffee cup")),
        ("Erase the mug", Command("remove", "coffee cup")),
        ("Add a book to the scene.", Command("add", "book")),
        ("ADD A CAT TO THE SCENE", Command("add", "cat")),
        ("Remove the dog from the scene.", Command("remove", "dog")),
        ("Add a vase with flowers", Command("add", "flower vase")),
        ("Remove the flower vase from the scene.", Command("remove", "flower vase")),
        ("Insert an umbrella", Command("add", "umbrella")),
        ("Remove the chair from the scene.", Command("remove", "chair")),
        ("Flip the image horizontally.", Command("flip")),
        ("mirror the picture", Command("flip")),
        ("Rotate the image 90 degrees clockwise.", Command("rotate clockwise")),
        ("Rotate the image 90 degrees counter-clockwise.", Command("rotate counter-clockwise")),
        ("Rotate by 90° counterclockwise", Command("rotate counter-clockwise")),
        ("rotate anticlockwise", Command("rotate counter-clockwise")),
        ("rotate left", Command("rotate counter-clockwise")),
        ("Turn the picture to the right", Command("rotate clockwise")),
    ],
)
def test_an_instruction_is_understood(instruction: str, command: Command) -> None:
    assert parse(instruction) == command


@pytest.mark.parametrize("thing", [*ACCESSORIES, *OBJECTS])
def test_every_thing_can_be_asked_for_by_its_name(thing: str) -> None:
    assert parse(f"Add a {thing}.") == Command("add", thing)
    assert parse(f"Remove the {thing}.") == Command("remove", thing)


@pytest.mark.parametrize(
    "instruction",
    [
        "",
        "Make it look like a painting.",
        "Add a spaceship.",
        "What about the glasses?",
        "Rotate the image 45 degrees clockwise.",
        "Rotate the image.",
        "Flip the image vertically.",
        "Add a caterpillar",
        "添加一副眼镜",
    ],
)
def test_what_is_not_understood_is_refused(instruction: str) -> None:
    with pytest.raises(Refused):
        parse(instruction)
