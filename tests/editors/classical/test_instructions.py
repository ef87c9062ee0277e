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
        ("Rotate the image 270 degrees clockwise.", Command("rotate counter-clockwise")),
        ("Rotate the image by 180 degrees", Command("rotate halfway")),
        ("Turn the picture upside down.", Command("rotate halfway")),
        ("Flip the image vertically.", Command("flip vertically")),
        ("Flip the picture upside down.", Command("flip vertically")),
        ("Make the colours a bit warmer, please.", Command("warm")),
        ("Make the photo cooler again.", Command("cool")),
        ("make it a sepia photo", Command("sepia")),
        ("Bring back the natural colors.", Command("natural colours")),
        ("brighten the picture", Command("brighten")),
        ("Please make it much darker!", Command("darken")),
        ("Turn the scene into night", Command("night")),
        ("Make it daytime.", Command("day")),
        ("Give the woman a broad smile.", Command("smile")),
        ("Remove the smile from the person.", Command("neutral")),
        ("Close her eyes.", Command("close eyes")),
        ("Let it snow!", Command("add", "snow")),
        ("Remove the snow from the scene.", Command("remove", "snow")),
        ("Make the scene foggy.", Command("add", "fog")),
        ("Clear the fog.", Command("remove", "fog")),
        ("Make the background blurry.", Command("blur background")),
        ("Sharpen the background.", Command("sharpen background")),
        ("Flip the whole picture horizontally, so that the house is on the left.", Command("flip")),
        ("Put a flower vase before the house.", Command("add", "flower vase")),
        ("Add a red scarf.", Command("add", "scarf")),
        ("Add a hat, and keep everything else unchanged.", Command("add", "hat")),
        ("Remove the cat without changing anything else.", Command("remove", "cat")),
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
        "Add a caterpillar",
        "添加一副眼镜",
    ],
)
def test_what_is_not_understood_is_refused(instruction: str) -> None:
    with pytest.raises(Refused):
        parse(instruction)


@pytest.mark.parametrize(
    ("instruction", "reason"),
    [
        ("Don't add a hat.", "negations"),
        ("Add snow, but no fog.", "negations"),
        ("Remove everything except the cat.", "negations"),
        ("Add a chair without a cat.", "negations"),
        ("Add a hat and glasses.", "one thing at a time"),
        ("Add a hat, a scarf.", "one thing at a time"),
        ("Remove the hat and make it night.", "one thing at a time"),
        ("Add glasses. Make it night.", "one thing at a time"),
        ("Replace the cat with a dog.", "one thing at a time"),
        ("Add a hat to the dog.", "one thing at a time"),
        ("Add two cats.", "one thing at a time"),
        ("Add a blue ball.", "knows no blue ball"),
        ("Remove the black hat.", "knows no black hat"),
        ("Rotate the image 45 degrees clockwise.", "90, 180 and 270 degrees only"),
        ("Make the image brighter and warmer.", "does not understand"),
        ("Do not make the image brighter.", "does not understand"),
        ("Flip the image horizontally and rotate it left.", "does not understand"),
        ("Turn the dog to the right.", "does not understand"),
        ("Make the hat brighter.", "does not understand"),
        ("Blur the face.", "does not understand"),
        ("Remove the hat's ribbon.", "does not understand"),
        ("Add a dog house.", "does not understand"),
        ("Give the dog a bath.", "does not understand"),
        ("Put the hat on the table.", "does not understand"),
        ("Take the dog for a walk.", "does not understand"),
        ("Put a pile of snow on the roof.", "does not understand"),
    ],
)
def test_what_could_be_misread_is_refused_with_the_reason(instruction: str, reason: str) -> None:
    with pytest.raises(Refused, match=reason):
        parse(instruction)
