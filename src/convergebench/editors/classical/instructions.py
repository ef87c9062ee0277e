"""Parses an instruction by a few rules; ambiguous instructions are refused."""

from __future__ import annotations

import re
from dataclasses import dataclass

from convergebench.editors.classical.sentences import (
    TURN_BY_A_NUMBER,
    WEATHER_SENTENCES,
    WHOLE_SENTENCES,
    Action,
)
from convergebench.editors.classical.things import ACCESSORIES, OBJECTS, WEATHER, strange_colours, things_in
from convergebench.types import Refused

__all__ = ["ACCESSORIES", "OBJECTS", "SKILLS", "Action", "EditCommand", "parse"]

SKILLS = (
    *ACCESSORIES, *OBJECTS, *WEATHER, "horizontal flip", "vertical flip", "quarter turn", "half turn",
    "warmer", "cooler", "sepia", "brighter", "darker", "night", "day", "smile", "neutral face",
    "blurred background", "sharp background",
)  # fmt: skip
"""The supported edits: things to add and remove, exact flips and rotations, and edits of the whole
picture."""

_NOTHING_ELSE = (
    r"(?:(?:and|but|while) )?(?:"
    r"(?:keep|keeping|leave|leaving) (?:everything|all) else"
    r"(?: (?:the same|unchanged|as it is|alone|intact))?"
    r"|(?:without|do not|don t) (?:chang(?:e|ing)|alter(?:ing)?) (?:anything|everything) else)$"
)
_POLITE = r"^(?:please |can you |could you |now )+| please$"
_SO_THAT = r"(?: then)? so that .*$"
_AGAIN = r"(?: again| once more)?"
_NOT = r"not|don t|dont|never|no|without|except|instead|unless|neither|nor|avoid|stop|keep"
_ALSO = r"and|then|also|plus|but|while|or|replace|swap|two|three|four|five|several|many|both"
_ADD = r"add|put|place|insert|draw|give|include|wear"
_REMOVE = r"remove|delete|erase|get rid of|take (?:(?:it|them|the [a-z ]*#) )?(?:off|away|out)"
_MAY_FOLLOW = (
    r"to|on|onto|from|in|into|at|of|for|over|around|round|near|next|beside|behind|before|under|above|by|with|that|"
    r"which|who|standing|sitting|lying|off|away|out|here|there|somewhere|again|completely|entirely"
)
"""Words that may follow a thing without changing its meaning, as `house` does after `dog`."""


@dataclass(frozen=True)
class EditCommand:
    """One edit; a thing belongs to adding and removing only."""

    action: Action
    thing: str = ""


def parse(instruction: str) -> EditCommand:
    """The command in an English sentence; raises `Refused` if it contains no known command, or several.

    >>> parse("Add a pair of glasses to the person.")
    EditCommand(action='add', thing='glasses')
    """
    text = _plain(instruction)
    command = _whole_sentence(text) or _add_or_remove(text, instruction)
    if command is None:
        raise Refused(f"the classical editor does not understand {instruction!r}")
    return command


def _plain(instruction: str) -> str:
    """Lower-case words, with `then` between sentences and clauses."""
    ends = r"[.;:!?\n]+(?=\s*\w)|,(?=\s*(?:a|an|the|and|then|add|remove|make|put|turn)\b)"
    text = " ".join(re.findall(r"[a-z0-9]+", re.sub(ends, " then ", instruction.lower())))
    return re.sub(_POLITE, "", re.sub(rf"(?: then)? {_NOTHING_ELSE}", "", text))


def _whole_sentence(text: str) -> EditCommand | None:
    text = re.sub(_SO_THAT, "", text)
    for sentence, action in WHOLE_SENTENCES:
        if re.fullmatch(rf"(?:{sentence}){_AGAIN}", text):
            return EditCommand(action)
    for sentence, action, thing in WEATHER_SENTENCES:
        if re.fullmatch(rf"(?:{sentence}){_AGAIN}", text):
            return EditCommand(action, thing)
    if re.match(TURN_BY_A_NUMBER, text):
        raise Refused("the classical editor rotates by 90, 180 and 270 degrees only, and needs a direction")
    return None


def _add_or_remove(text: str, instruction: str) -> EditCommand | None:
    things, marked = things_in(text)
    if not things:
        return None
    if _says(_NOT, marked):
        raise Refused(f"the classical editor does not follow conditions and negations: {instruction!r}")
    if len(things) > 1 or marked.count("#") > 1 or _says(_ALSO, marked):
        raise Refused(f"the classical editor does one thing at a time, not {instruction!r}")
    (thing,) = things
    strange = strange_colours(thing, marked)
    if strange:
        raise Refused(f"the classical editor knows no {' '.join(strange)} {thing.removeprefix('red ')}")
    if thing in WEATHER or not re.search(rf"#(?: (?:{_MAY_FOLLOW})\b|$)", marked):
        return None
    if _says(_REMOVE, marked):
        return None if _says(_ADD, marked) else EditCommand("remove", thing)
    # Only new things are added; "put the hat on the table" would move an existing one.
    if _says(_ADD, marked) and not re.search(r"\b(?:the|this|that|take|off|away) #", marked):
        return EditCommand("add", thing)
    return None


def _says(words: str, text: str) -> bool:
    return re.search(rf"\b(?:{words})\b", text) is not None
