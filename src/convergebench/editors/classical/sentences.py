"""Whole sentences that ask for one edit of the picture, as patterns over plain lower-case words."""

from __future__ import annotations

from typing import Literal, TypeAlias

Action: TypeAlias = Literal[
    "add", "remove", "flip", "flip vertically", "rotate clockwise", "rotate counter-clockwise",
    "rotate halfway", "warm", "cool", "sepia", "natural colours", "brighten", "darken", "night", "day",
    "smile", "neutral", "close eyes", "open eyes", "blur background", "sharpen background",
]  # fmt: skip

_THE = r"(?:the |this )?"
_PICTURE = rf"(?:{_THE}(?:whole |entire )?(?:image|picture|photo|photograph|scene|it)\b ?)"
_COLOURS = rf"(?:(?:the |its )?colou?rs?(?: tone| temperature)?(?: of {_PICTURE})?|{_PICTURE})"
_PERSON = rf"{_THE}(?:person|man|woman|girl|boy|subject)"
_WHOSE = rf"(?:{_PERSON} s|his|her|their|the)"
_EYES = r"(?:his|her|their) eyes"
_MORE = r"(?:a (?:bit|little)|slightly|much|a lot|somewhat)? ?"
_LEFT = r"(?:(?:counter|anti) ?clockwise|(?:to the )?left)"
_RIGHT = r"(?:clockwise|(?:to the )?right)"
_TURN = rf"(?:rotate|turn) {_PICTURE}?(?:by )?"
_DEGREES = r"(?: degrees?| turn)?"
_QUARTER, _THREE, _HALF = (rf"(?:{n}){_DEGREES}" for n in ("90|a quarter", "270", "180|half a"))
_SEPIA = r"sepia(?: photo(?:graph)?| picture| image| tones?)?"
_TIME = r"(?: ?time)?(?: scene)?"
_HOW = r"(?:very |strongly )?"

TURN_BY_A_NUMBER = rf"{_TURN}\d+\b"

WHOLE_SENTENCES: tuple[tuple[str, Action], ...] = (
    (rf"(?:flip|mirror) {_PICTURE}?(?:horizontally|sideways|left to right)?", "flip"),
    (rf"(?:flip|mirror) {_PICTURE}?(?:vertically|upside down|top to bottom)", "flip vertically"),
    (rf"{_TURN}(?:{_QUARTER} )?{_RIGHT}", "rotate clockwise"),
    (rf"{_TURN}{_THREE} {_LEFT}", "rotate clockwise"),
    (rf"{_TURN}(?:{_QUARTER} )?{_LEFT}", "rotate counter-clockwise"),
    (rf"{_TURN}{_THREE} {_RIGHT}", "rotate counter-clockwise"),
    (rf"{_TURN}(?:{_HALF}(?: {_LEFT}| {_RIGHT})?|upside down)", "rotate halfway"),
    (rf"make {_COLOURS} ?{_MORE}warmer|warm up {_COLOURS}", "warm"),
    (rf"make {_COLOURS} ?{_MORE}(?:cooler|colder)|cool down {_COLOURS}", "cool"),
    (rf"(?:turn|make|change|convert) {_PICTURE}(?:into |to )?(?:a )?{_SEPIA}", "sepia"),
    (
        rf"(?:turn|change|convert) (?:{_THE}{_SEPIA}|{_PICTURE}) ?back (?:in)?to (?:its )?"
        r"(?:natural|original|full) colou?rs",
        "natural colours",
    ),
    (rf"(?:restore|bring back) the (?:natural|original) colou?rs(?: of {_PICTURE})?", "natural colours"),
    (rf"make {_PICTURE}{_MORE}(?:brighter|lighter)|brighten {_PICTURE}", "brighten"),
    (rf"make {_PICTURE}{_MORE}darker|darken {_PICTURE}", "darken"),
    (rf"(?:change|turn) {_PICTURE}(?:from day(?:time)? )?(?:in)?to (?:a )?night{_TIME}", "night"),
    (rf"make {_PICTURE}(?:a |look like )?night{_TIME}", "night"),
    (rf"(?:change|turn) {_PICTURE}(?:from night(?:time)? )?(?:in)?to (?:a )?day{_TIME}", "day"),
    (rf"make {_PICTURE}(?:a |look like )?day{_TIME}", "day"),
    (rf"make {_PERSON} smile(?: broadly)?", "smile"),
    (rf"give {_PERSON} a (?:broad )?smile|add a (?:broad )?smile(?: to {_PERSON})?", "smile"),
    (rf"(?:give {_PERSON}|make {_PERSON} have) a neutral (?:expression|face)", "neutral"),
    (rf"make {_WHOSE} (?:expression|face) neutral", "neutral"),
    (rf"remove the (?:broad )?smile(?: from {_PERSON})?", "neutral"),
    (rf"close {_WHOSE} eyes|make {_PERSON} close {_EYES}", "close eyes"),
    (rf"open {_WHOSE} eyes|make {_PERSON} open {_EYES}", "open eyes"),
    (r"(?:strongly )?blur (?:out )?the background(?: strongly)?", "blur background"),
    (rf"make the background {_HOW}(?:blurry|blurred|out of focus)", "blur background"),
    (r"make the background (?:sharp|sharper|crisp|in focus)", "sharpen background"),
    (r"(?:sharpen|unblur|deblur) the background", "sharpen background"),
)

_WHERE = rf"(?: (?:to|from|in|on|over) {_PICTURE})?"

WEATHER_SENTENCES: tuple[tuple[str, Action, str], ...] = (
    (rf"add (?:falling snow|snowfall|snow)(?: and cover the ground with snow)?{_WHERE}", "add", "snow"),
    (r"(?:let|make) it snow", "add", "snow"),
    (
        rf"remove (?:all )?(?:the )?snow(?: from the air(?: and (?:from )?the ground)?)?{_WHERE}",
        "remove",
        "snow",
    ),
    (rf"add (?:some )?(?:thick |dense |heavy )?(?:fog|mist){_WHERE}", "add", "fog"),
    (rf"make {_PICTURE}foggy", "add", "fog"),
    (
        rf"(?:remove|clear|lift) (?:all )?(?:the )?(?:thick |dense |heavy )?(?:fog|mist|haze){_WHERE}",
        "remove",
        "fog",
    ),
)
