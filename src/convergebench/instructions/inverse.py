"""The instruction that undoes another, by templates: parse the request, invert it, and phrase it again."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from convergebench.instructions.reversibility import plain

Kind: TypeAlias = Literal[
    "add", "remove", "flip", "rotate", "upend", "change", "replace", "on", "off", "open", "close", "make",
    "increase", "decrease", "move", "zoom", "stay",
]  # fmt: skip


@dataclass(frozen=True)
class Meaning:
    """What an instruction requests, independent of its wording."""

    kind: Kind
    thing: str = ""
    """The object that is added, turned, changed, switched, created or moved."""
    other: str = ""
    """The place, the new state, or the direction."""
    old: str = ""
    """The previous state, if named."""


def invert(instruction: str) -> str | None:
    """The instruction that undoes this one; None if no template matches.

    >>> invert("Add a red scarf to the dog.")
    'Remove the red scarf from the dog.'
    >>> invert("Flip the image horizontally.")
    'Flip the image horizontally.'
    >>> invert("Make it look nicer.") is None
    True
    """
    request = read(instruction)
    return None if request is None else phrase(turned(request))


def read(instruction: str) -> Meaning | None:
    """The request that a template reads from an instruction in English."""
    text = plain(instruction).removesuffix(" again")
    if _SEVERAL.search(text):
        return None
    for pattern, meaning_of in _READINGS:
        if found := pattern.fullmatch(text):
            return meaning_of(found)
    return None


def turned(request: Meaning) -> Meaning:
    """The inverse request; inverting it twice gives the same request."""
    if request.kind in _OTHER_KIND:
        return replace(request, kind=_OTHER_KIND[request.kind])
    if request.kind in ("change", "replace"):
        return replace(request, old=request.other, other=request.old)
    if request.kind in ("rotate", "make", "move", "zoom"):
        first, _, rest = request.other.partition(" ")
        return replace(request, other=" ".join(filter(None, (_OPPOSITE.get(first, first), rest))))
    return request


def is_its_own_inverse(instruction: str) -> bool:
    """Flips, half turns and doing nothing."""
    request = read(instruction)
    return request is not None and turned(request) == request


def phrase(request: Meaning) -> str:
    """The instruction for this request."""
    text = _PHRASES[request.kind](request)
    return f"{text[:1].upper()}{text[1:]}."


_OTHER_KIND: Mapping[Kind, Kind] = {
    "add": "remove", "remove": "add", "on": "off", "off": "on", "open": "close", "close": "open",
    "increase": "decrease", "decrease": "increase",
}  # fmt: skip
_PAIRED_WORDS = (
    ("brighter", "darker"), ("warmer", "cooler"), ("larger", "smaller"), ("longer", "shorter"),
    ("taller", "lower"), ("older", "younger"), ("thicker", "thinner"), ("wider", "narrower"),
    ("sharper", "blurrier"), ("happier", "sadder"), ("heavier", "lighter"), ("more", "less"),
    ("left", "right"), ("up", "down"), ("in", "out"), ("clockwise", "counter-clockwise"),
)  # fmt: skip
_OPPOSITE: Mapping[str, str] = dict((*_PAIRED_WORDS, *(pair[::-1] for pair in _PAIRED_WORDS)))
_COMPARATIVES = "|".join(word for word in _OPPOSITE if word.endswith("er"))
_TIMES = "day|night|summer|winter|spring|autumn"

_DETERMINED = re.compile(
    r"(?:his|her|their|its|my|your|our|this|that|these|those|all|both|it|him|them|the)\b|\w+'s ",
    re.IGNORECASE,
)
_SEVERAL = re.compile(
    r"[,;]|\b(?:and|then) (?:then )?(?:add|remove|cover|make|put|change|turn|replace|flip|rotate|open|close"
    r"|give|take)\b",
    re.IGNORECASE,
)
"""Several things are requested; no template separates them."""
_NEAR = r"next to|beside|behind|under|below|above|over|around|in front of|between|near"
_PICTURE = r"(?:the |this )?(?:image|picture|photo|photograph)"
_UNCOUNTED = re.compile(
    "(?:snow|rain|fog|mist|haze|smoke|water|grass|hair|sand|ice|text|light|sunlight|fire|fur)", re.IGNORECASE
)


def _bare(words: str | None) -> str:
    """Without its article."""
    return re.sub(
        r"^(?:(?:(?:an?|the) )?pair of|an?|the(?! \w+'s )|some) ",
        "",
        (words or "").strip(),
        flags=re.IGNORECASE,
    )


def _definite(words: str) -> str:
    return words if _DETERMINED.match(words) else f"the {words}"


def _indefinite(words: str) -> str:
    """With the indefinite article; plurals and uncountable nouns have none."""
    if _DETERMINED.match(words):
        return words
    last = re.split(r" (?:of|with|in|on|and|that) ", words)[0].split()[-1]
    if _UNCOUNTED.fullmatch(last) or re.search(r"[^su]s$", last):
        return words
    return f"an {words}" if re.match(r"[aeio]|u(?!ni|se)", words) else f"a {words}"


def _where(found: re.Match[str]) -> str:
    near = found.groupdict().get("near")
    place = _bare(found["place"])
    return f"{near} {_definite(place)}" if near else place


def _placed(kind: Kind) -> Callable[[re.Match[str]], Meaning]:
    return lambda found: Meaning(kind, _bare(found["thing"]), _where(found))


def _of(kind: Kind) -> Callable[[re.Match[str]], Meaning]:
    def meaning_of(found: re.Match[str]) -> Meaning:
        given = {"thing": "", "new": "", "old": "", **found.groupdict()}
        new = given["new"].lower() if kind in ("make", "move", "zoom") else given["new"]
        return Meaning(kind, _bare(given["thing"]), _bare(new), _bare(given["old"]))

    return meaning_of


def _turn(found: re.Match[str]) -> Meaning:
    degrees = int(found["degrees"] or {"quarter": 90, "half": 180}[found["part"].lower()])
    backwards = bool(re.search("counter|anti|left", (found["way"] or "").lower()))
    if degrees == 180:
        return Meaning("rotate", "180")
    return Meaning("rotate", "90", "counter-clockwise" if backwards ^ (degrees == 270) else "clockwise")


_READINGS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Meaning]], ...] = tuple(
    (re.compile(words, re.IGNORECASE), meaning_of)
    for words, meaning_of in (
        ("(?:change|do) nothing.*", _of("stay")),
        (rf"(?:flip|mirror)(?: {_PICTURE})?(?:(?: from)? (?:horizontally|left to right))?",
         lambda _: Meaning("flip", "horizontally")),
        # Some flip it, others rotate it; the same words again undo either.
        (rf"turn(?: {_PICTURE})? upside down", _of("upend")),
        (rf"(?:flip|mirror|turn)(?: {_PICTURE})? (?:vertically|upside down)",
         lambda _: Meaning("flip", "vertically")),
        (rf"(?:rotate|turn)(?: {_PICTURE})?(?: by)? (?:(?P<degrees>90|180|270)(?: degrees?|°)"
         r"|a (?P<part>quarter|half) turn)"
         r"(?: (?P<way>(?:counter-?|anti-?)?clockwise|(?:to the )?(?:left|right)))?", _turn),
        ("(?:turn|switch) on (?P<thing>.+)|(?:turn|switch) (?P<thing_>.+) on",
         lambda found: Meaning("on", _bare(found["thing"] or found["thing_"]))),
        ("(?:turn|switch) off (?P<thing>.+)|(?:turn|switch) (?P<thing_>.+) off",
         lambda found: Meaning("off", _bare(found["thing"] or found["thing_"]))),
        ("(?:put on|wear) (?P<thing>.+)", _of("add")),
        ("take off (?P<thing>.+)", _of("remove")),
        ("take (?P<thing>.+) off (?P<place>.+)", _placed("remove")),
        ("take (?P<thing>.+) (?:off|away)", _of("remove")),
        (r"give (?P<place>(?:the |this )?\w+) (?P<thing>(?:an?|some) .+)", _placed("add")),
        (f"(?:add|insert|include|put|place|attach|hang|set) (?P<thing>.+?) (?P<near>{_NEAR}) (?P<place>.+)",
         _placed("add")),
        ("(?:add|insert|include|put|place|attach|hang|set) (?P<thing>.+) (?:to|into|onto) (?P<place>.+)",
         _placed("add")),
        ("(?:add|insert|include|put|place|attach|hang|set) (?P<thing>.+) (?:on|in) (?P<place>.+)",
         _placed("add")),
        ("(?:add|insert|include) (?P<thing>.+)", _of("add")),
        ("(?:remove|delete|erase|get rid of|take away) (?P<thing>.+) (?:from|off) (?P<place>.+)",
         _placed("remove")),
        (f"(?:remove|delete|erase|get rid of) (?P<thing>.+?) (?P<near>{_NEAR}) (?P<place>.+)",
         _placed("remove")),
        ("(?:remove|delete|erase|get rid of|take away) (?P<thing>.+)", _of("remove")),
        ("(?:replace|swap|exchange) (?P<old>.+) (?:with|by|for) (?P<new>.+)", _of("replace")),
        (r"(?:change|turn|recolou?r|paint|dye) (?:the colou?r of )?(?P<thing>.+) from (?P<old>.+)"
         " (?:to|into) (?P<new>.+)", _of("change")),
        (f"(?:change|turn) (?P<old>{_TIMES}) (?:to|into) (?P<new>{_TIMES})", _of("change")),
        ("open (?P<thing>.+)", _of("open")),
        ("(?:close|shut) (?P<thing>.+)", _of("close")),
        (f"make (?P<thing>.+) (?P<new>{_COMPARATIVES}|(?:more|less) [a-z]+)", _of("make")),
        ("(?:increase|raise) (?P<thing>.+)", _of("increase")),
        ("(?:decrease|lower|reduce) (?P<thing>.+)", _of("decrease")),
        ("move (?P<thing>.+?) (?:to the )?(?P<new>left|right|up|down)", _of("move")),
        ("zoom (?P<new>in|out)", _of("zoom")),
    )
)  # fmt: skip


def _adding(request: Meaning) -> str:
    return f"add {_indefinite(request.thing)}{_place(request.other, 'to')}"


def _removing(request: Meaning) -> str:
    return f"remove {_definite(request.thing)}{_place(request.other, 'from')}"


def _place(place: str, preposition: str) -> str:
    if not place:
        return ""
    return f" {place}" if re.match(rf"(?:{_NEAR}) ", place) else f" {preposition} {_definite(place)}"


def _changing(request: Meaning) -> str:
    if not request.thing:
        return f"turn {request.old} into {request.other}"
    return f"change {_definite(request.thing)} from {request.old} to {request.other}"


_PHRASES: Mapping[Kind, Callable[[Meaning], str]] = {
    "add": _adding,
    "remove": _removing,
    "flip": lambda request: f"flip the image {request.thing}",
    "rotate": lambda request: f"rotate the image {request.thing} degrees {request.other}".rstrip(),
    "upend": lambda _: "turn the image upside down",
    "change": _changing,
    "replace": lambda request: f"replace {_definite(request.old)} with {_indefinite(request.other)}",
    "on": lambda request: f"turn on {_definite(request.thing)}",
    "off": lambda request: f"turn off {_definite(request.thing)}",
    "open": lambda request: f"open {_definite(request.thing)}",
    "close": lambda request: f"close {_definite(request.thing)}",
    "make": lambda request: f"make {_definite(request.thing)} {request.other}",
    "increase": lambda request: f"increase {_definite(request.thing)}",
    "decrease": lambda request: f"decrease {_definite(request.thing)}",
    "move": lambda request: f"move {_definite(request.thing)} {request.other}",
    "zoom": lambda request: f"zoom {request.other}",
    "stay": lambda _: "change nothing",
}
