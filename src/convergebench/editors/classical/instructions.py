"""What an instruction asks for, read by a few rules."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from convergebench.types import Refused

Action: TypeAlias = Literal["add", "remove", "flip", "rotate clockwise", "rotate counter-clockwise"]

ACCESSORIES = ("glasses", "sunglasses", "hat", "earrings", "necklace", "scarf", "beard", "mustache")
OBJECTS = ("chair", "red ball", "plant", "coffee cup", "book", "cat", "dog", "flower vase", "umbrella")
SKILLS = (*ACCESSORIES, *OBJECTS, "horizontal flip", "quarter turn")
"""What it can do: things it adds and removes, and two turns that are exact."""

_WORDS: tuple[tuple[str, str], ...] = (
    ("sunglasses", r"sun ?glasses|shades"),
    ("glasses", r"(eye ?)?glasses|spectacles"),
    ("hat", r"hat"),
    ("earrings", r"ear ?rings?"),
    ("necklace", r"necklace"),
    ("scarf", r"scarf"),
    ("beard", r"beard"),
    ("mustache", r"mo?ustache"),
    ("watch", r"(wrist ?)?watch"),
    ("chair", r"chair"),
    ("red ball", r"(red )?ball"),
    ("flower vase", r"(flower )?vase( (of|with) flowers)?"),
    ("plant", r"(potted |house ?)?plant"),
    ("coffee cup", r"(coffee |tea )?(cup|mug)( of (coffee|tea))?"),
    ("book", r"book"),
    ("cat", r"cat|kitten"),
    ("dog", r"dog|puppy"),
    ("umbrella", r"umbrella|parasol"),
)
_ADD = r"add|put|place|insert|draw|give|include|wear"
_REMOVE = r"remove|delete|erase|take (it |them )?(off|away|out)|take the .* (off|away|out)|get rid of"
_COUNTER_CLOCKWISE = r"(counter|anti) ?clockwise|(to the )?left"
_CLOCKWISE = r"clockwise|(to the )?right"


@dataclass(frozen=True)
class Command:
    """One edit; a thing belongs to adding and removing only."""

    action: Action
    thing: str = ""


def parse(instruction: str) -> Command:
    """The command in an English sentence; raises `Refused` when there is none that it knows.

    >>> parse("Add a pair of glasses to the person.")
    Command(action='add', thing='glasses')
    """
    text = " ".join(re.findall(r"[a-z0-9]+", instruction.lower()))
    command = _turn(text) or _add_or_remove(text)
    if command is None:
        raise Refused(f"the classical editor does not understand {instruction!r}")
    return command


def _turn(text: str) -> Command | None:
    if _says(r"flip|mirror", text):
        if _says(r"vertical|vertically|upside", text):
            raise Refused("the classical editor flips horizontally only")
        return Command("flip")
    if not _says(r"rotate|turn", text):
        return None
    degrees = re.search(r"\b\d+\b", text)
    if degrees and degrees.group() != "90":
        raise Refused("the classical editor rotates by 90 degrees only")
    if _says(_COUNTER_CLOCKWISE, text):
        return Command("rotate counter-clockwise")
    if _says(_CLOCKWISE, text):
        return Command("rotate clockwise")
    return None


def _add_or_remove(text: str) -> Command | None:
    thing = next((name for name, words in _WORDS if _says(words, text)), None)
    if thing is None:
        return None
    if _says(_REMOVE, text):
        return Command("remove", thing)
    if _says(_ADD, text):
        return Command("add", thing)
    return None


def _says(words: str, text: str) -> bool:
    return re.search(rf"\b({words})\b", text) is not None
