from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convergebench.instructions.inverse import Meaning, invert, is_its_own_inverse, phrase, read, turned
from convergebench.suites import PAIRS

BY_HAND = {
    "add a red scarf to the dog": "Remove the red scarf from the dog.",
    "Put a straw hat on the woman.": "Remove the straw hat from the woman.",
    "Give the man a pair of reading glasses.": "Remove the reading glasses from the man.",
    "Set a cup of tea next to the laptop": "Remove the cup of tea next to the laptop.",
    "Remove the umbrella from the scene": "Add an umbrella to the scene.",
    "Remove the earrings": "Add earrings.",
    "Remove the pair of shoes": "Add shoes.",
    "Take the glasses off the professor": "Add glasses to the professor.",
    "Rotate the image 90 degrees clockwise": "Rotate the image 90 degrees counter-clockwise.",
    "Turn the picture a quarter turn to the left": "Rotate the image 90 degrees clockwise.",
    "Rotate by 180 degrees": "Rotate the image 180 degrees.",
    "Turn the picture upside down.": "Turn the image upside down.",
    "Flip the picture upside down.": "Flip the image vertically.",
    "Mirror the photo from left to right": "Flip the image horizontally.",
    "Replace the cat with an owl": "Replace the owl with a cat.",
    "Swap the bicycle for a motorcycle": "Replace the motorcycle with a bicycle.",
    "Change the color of the car from red to blue": "Change the car from blue to red.",
    "turn day into night": "Turn night into day.",
    "Switch on the desk lamp.": "Turn off the desk lamp.",
    "Turn the street lights off": "Turn on the street lights.",
    "Close her eyes": "Open her eyes.",
    "Open the person's hand": "Close the person's hand.",
    "Make the image brighter": "Make the image darker.",
    "Make the scene more dramatic": "Make the scene less dramatic.",
    "Move the chair to the left": "Move the chair right.",
    "Add the word SALE to the wall": "Remove the word SALE from the wall.",
}

things = st.builds(
    lambda adjective, noun: f"{adjective} {noun}".strip(),
    st.sampled_from(["", "red", "old", "wooden", "small yellow"]),
    st.sampled_from(["hat", "umbrella", "shoes", "flowers", "cat", "snow", "glass of water", "lamp"]),
)
places = st.sampled_from(["", "dog", "old man", "table by the window", "behind the sofa", "next to the bed"])
colours = st.sampled_from(["red", "blue", "dark green", "wood"])
ways = {
    "rotate": ["clockwise", "counter-clockwise"], "move": ["left", "right", "up", "down"],
    "make": ["brighter", "cooler", "larger", "shorter", "more dramatic", "less shiny"], "zoom": ["in", "out"],
}  # fmt: skip
meanings = st.one_of(
    st.builds(Meaning, st.sampled_from(["add", "remove"]), things, places),
    st.builds(Meaning, st.sampled_from(["on", "off", "open", "close", "increase", "decrease"]), things),
    st.builds(Meaning, st.just("flip"), st.sampled_from(["horizontally", "vertically"])),
    st.builds(Meaning, st.just("rotate"), st.just("90"), st.sampled_from(ways["rotate"])),
    st.just(Meaning("rotate", "180")),
    st.just(Meaning("upend")),
    st.builds(Meaning, st.sampled_from(["move"]), things, st.sampled_from(ways["move"])),
    st.builds(Meaning, st.just("make"), things, st.sampled_from(ways["make"])),
    st.builds(Meaning, st.just("zoom"), st.just(""), st.sampled_from(ways["zoom"])),
    st.builds(Meaning, st.just("replace"), st.just(""), things, things),
    st.builds(Meaning, st.just("change"), things, colours, colours),
    st.just(Meaning("stay")),
)


@pytest.mark.parametrize("text", BY_HAND)
def test_an_instruction_is_turned_into_what_undoes_it(text: str) -> None:
    assert invert(text) == BY_HAND[text]


@given(meanings)
def test_what_is_said_is_read_as_it_was_meant(meaning: Meaning) -> None:
    assert read(phrase(meaning)) == meaning


@given(meanings)
def test_undoing_twice_is_the_same_again(meaning: Meaning) -> None:
    assert turned(turned(meaning)) == meaning


@given(meanings)
def test_the_inverse_of_the_inverse_means_what_the_instruction_means(meaning: Meaning) -> None:
    text = phrase(meaning)
    inverse = invert(text)
    assert inverse is not None
    assert read(inverse) == turned(read(text))  # type: ignore[arg-type]
    again = invert(inverse)
    assert again is not None
    assert read(again) == read(text)


@given(meanings)
def test_only_flips_half_turns_and_nothing_are_their_own_inverse(meaning: Meaning) -> None:
    own = meaning.kind in ("flip", "upend", "stay") or meaning.thing == "180"
    same_both_ways = meaning.kind in ("replace", "change") and meaning.old == meaning.other
    assert is_its_own_inverse(phrase(meaning)) == (own or same_both_ways)


def test_templates_undo_the_built_in_pairs_as_these_say_or_do_not_know_them() -> None:
    found = {pair.id: (invert(pair.forward), pair.backward) for pair in PAIRS}
    known = {id for id, (inverse, _) in found.items() if inverse is not None}
    assert {pair.id for pair in PAIRS} - known == {
        "sepia_and_back", "smile_and_back", "snow_add_remove", "background_blur_sharpen",
    }  # fmt: skip
    differing = {id for id in known if found[id][0] != found[id][1]}
    assert differing == {"fog_add_remove"}  # which calls the fog thick


@pytest.mark.parametrize(
    "text",
    ["Make it look nicer.", "", "Turn the photo into an oil painting.", "Add a hat and remove the scarf.",
     "Blur it, then add a hat.", "Frobnicate the picture."],
)  # fmt: skip
def test_what_no_template_knows_is_not_guessed(text: str) -> None:
    assert invert(text) is None


@given(st.text(max_size=80))
def test_any_text_is_inverted_or_not_without_an_error(text: str) -> None:
    inverse = invert(text)
    assert inverse is None or inverse.strip(" .")
