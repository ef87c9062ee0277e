"""The things that can be drawn, with their names in instructions."""

from __future__ import annotations

import re
from collections.abc import Sequence

ACCESSORIES = ("glasses", "sunglasses", "hat", "earrings", "necklace", "scarf", "beard", "mustache")
OBJECTS = ("chair", "red ball", "plant", "coffee cup", "book", "cat", "dog", "flower vase", "umbrella")
WEATHER = ("snow", "fog")

_NAMES: tuple[tuple[str, str], ...] = (
    ("sunglasses", r"sun ?glasses|shades"),
    ("glasses", r"(eye ?)?glasses|spectacles"),
    ("hat", r"hats?"),
    ("earrings", r"ear ?rings?"),
    ("necklace", r"necklaces?"),
    ("scarf", r"scarf|scarves"),
    ("beard", r"beards?"),
    ("mustache", r"mo?ustaches?"),
    ("watch", r"(wrist ?)?watch(es)?"),
    ("chair", r"chairs?"),
    ("red ball", r"(red )?balls?"),
    ("flower vase", r"(flower )?vases?( (of|with) flowers)?"),
    ("plant", r"(potted |house ?)?plants?"),
    ("coffee cup", r"(coffee |tea )?(cup|mug)s?( of (coffee|tea))?"),
    ("book", r"books?"),
    ("cat", r"cats?|kittens?"),
    ("dog", r"dogs?|pupp(y|ies)"),
    ("umbrella", r"umbrellas?|parasols?"),
    ("snow", r"snow|snowflakes|snowfall"),
    ("fog", r"fog|mist|haze"),
)
"""Ordered so that no name is part of a later one."""
_OWN_COLOURS = {
    "red ball": "red", "scarf": "red", "cat": "ginger orange", "dog": "brown", "plant": "green",
    "chair": "brown", "coffee cup": "blue", "book": "green", "umbrella": "blue yellow", "beard": "brown",
    "mustache": "brown", "sunglasses": "dark brown", "glasses": "brown", "earrings": "gold golden green",
    "necklace": "white pearl", "flower vase": "white blue",
}  # fmt: skip
_COLOURS = (
    r"black|white|red|green|blue|yellow|orange|pink|purple|violet|brown|gr[ae]y|gold|golden|silver|ginger|"
    r"beige|turquoise|dark|light|blond|blonde|striped|colou?rful|transparent"
)


def things_in(text: str) -> tuple[list[str], str]:
    """The things that a text names, each once and unordered, and the text with a marker in the place of
    each."""
    found = []
    for thing, names in _NAMES:
        text, count = re.subn(rf"\b({names})\b", "#", text)
        found += [thing] * (count > 0)
    return found, text


def strange_colours(thing: str, text: str) -> Sequence[str]:
    """Colours before the marker that the drawn thing does not have."""
    own = _OWN_COLOURS.get(thing, "").split()
    before = re.search(rf"((?:\b(?:{_COLOURS}|and|or) )+)#", text)
    return [word for word in (before.group(1).split() if before else ()) if word not in (*own, "and", "or")]
