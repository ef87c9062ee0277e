from __future__ import annotations

import pytest

from convergebench.editors.classical.instructions import ACCESSORIES, OBJECTS, EditCommand, parse
from convergebench.types import Refused


@pytest.mark.parametrize(
    ("instruction", "command"),
    [
        ("Add a pair of glasses to the person.", EditCommand("add", "glasses")),
        ("Remove the glasses from the person.", EditCommand("remove", "glasses")),
        ("put on sunglasses", EditCommand("add", "sunglasses")),
        ("Take off the sunglasses", EditCommand("remove", "sunglasses")),
        ("Take the sun glasses off.", EditCommand("remove", "sunglasses")),
        ("Give her eyeglasses", EditCommand("add", "glasses")),
        ("take off the hat", EditCommand("remove", "hat")),
        ("Add a hat that suits the person", EditCommand("add", "hat")),
        ("Add earrings to the person.", EditCommand("add", "earrings")),
        ("Remove the necklace from the person.", EditCommand("remove", "necklace")),
        ("Add a scarf around the person's neck.", EditCommand("add", "scarf")),
        ("Add a beard to the person's face.", EditCommand("add", "beard")),
        ("Get rid of the moustache!", EditCommand("remove", "mustache")),
        ("Add a mustache to the person.", EditCommand("add", "mustache")),
        ("Add a wristwatch", EditCommand("add", "watch")),
        ("Add a red ball to the scene.", EditCommand("add", "red ball")),
        ("Delete the ball", EditCommand("remove", "red ball")),
        ("Place a potted plant in the corner", EditCommand("add", "plant")),
        ("Add a cup of coffee on the table", EditCommand("add", "coffee cup")),
        ("Erase the mug", EditCommand("remove", "coffee cup")),
        ("Add a book to the scene.", EditCommand("add", "book")),
        ("ADD A CAT TO THE SCENE", EditCommand("add", "cat")),
        ("Remove the dog from the scene.", EditCommand("remove", "dog")),
        ("Add a vase with flowers", EditCommand("add", "flower vase")),
        ("Remove the flower vase from the scene.", EditCommand("remove", "flower vase")),
        ("Insert an umbrella", EditCommand("add", "umbrella")),
        ("Remove the chair from the scene.", EditCommand("remove", "chair")),
        ("Flip the image horizontally.", EditCommand("flip")),
        ("mirror the picture", EditCommand("flip")),
        ("Rotate the image 90 degrees clockwise.", EditCommand("rotate clockwise")),
        ("Rotate the image 90 degrees counter-clockwise.", EditCommand("rotate counter-clockwise")),
        ("Rotate by 90° counterclockwise", EditCommand("rotate counter-clockwise")),
        ("rotate anticlockwise", EditCommand("rotate counter-clockwise")),
        ("rotate left", EditCommand("rotate counter-clockwise")),
        ("Turn the picture to the right", EditCommand("rotate clockwise")),
        ("Rotate the image 270 degrees clockwise.", EditCommand("rotate counter-clockwise")),
        ("Rotate the image by 180 degrees", EditCommand("rotate halfway")),
        ("Turn the picture upside down.", EditCommand("rotate halfway")),
        ("Flip the image vertically.", EditCommand("flip vertically")),
        ("Flip the picture upside down.", EditCommand("flip vertically")),
        ("Make the colours a bit warmer, please.", EditCommand("warm")),
        ("Make the photo cooler again.", EditCommand("cool")),
        ("make it a sepia photo", EditCommand("sepia")),
        ("Bring back the natural colors.", EditCommand("natural colours")),
        ("brighten the picture", EditCommand("brighten")),
        ("Please make it much darker!", EditCommand("darken")),
        ("Turn the scene into night", EditCommand("night")),
        ("Make it daytime.", EditCommand("day")),
        ("Give the woman a broad smile.", EditCommand("smile")),
        ("Remove the smile from the person.", EditCommand("neutral")),
        ("Close her eyes.", EditCommand("close eyes")),
        ("Let it snow!", EditCommand("add", "snow")),
        ("Remove the snow from the scene.", EditCommand("remove", "snow")),
        ("Make the scene foggy.", EditCommand("add", "fog")),
        ("Clear the fog.", EditCommand("remove", "fog")),
        ("Make the background blurry.", EditCommand("blur background")),
        ("Sharpen the background.", EditCommand("sharpen background")),
        ("Flip the whole picture horizontally, so that the house is on the left.", EditCommand("flip")),
        ("Put a flower vase before the house.", EditCommand("add", "flower vase")),
        ("Add a red scarf.", EditCommand("add", "scarf")),
        ("Add a hat, and keep everything else unchanged.", EditCommand("add", "hat")),
        ("Remove the cat without changing anything else.", EditCommand("remove", "cat")),
    ],
)
def test_an_instruction_is_understood(instruction: str, command: EditCommand) -> None:
    assert parse(instruction) == command


@pytest.mark.parametrize("thing", [*ACCESSORIES, *OBJECTS])
def test_every_thing_can_be_asked_for_by_its_name(thing: str) -> None:
    assert parse(f"Add a {thing}.") == EditCommand("add", thing)
    assert parse(f"Remove the {thing}.") == EditCommand("remove", thing)


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
