"""The JSON objects in a model's reply: bare, in fences, or in the middle of sentences in any language."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

_THOUGHT_ENDS = "</think>"
_THOUGHT_BEGINS = "<think>"
_MOST_BRACES = 500
"""A reply with more attempts at an object than this holds no verdict, and takes long to search."""


class NotInForm(Exception):
    """The reply does not hold what was asked for, or not unambiguously."""


@dataclass(frozen=True)
class FoundObject:
    content: dict[str, Any]
    """With keys in lower case."""
    end: int
    """Where the outermost object that holds it ends, in the text behind the thoughts."""


def after_thoughts(text: str) -> str:
    """The text without the thoughts (`<think>…</think>`) before it. NotInForm if it ends inside them."""
    said = text.strip()
    if said.startswith("{"):
        return said
    if _THOUGHT_BEGINS in said and _THOUGHT_ENDS not in said:
        raise NotInForm("the reply ends inside its reasoning section")
    return said.rpartition(_THOUGHT_ENDS)[2].strip()


def objects_in(text: str) -> list[FoundObject]:
    """All objects in a text without thoughts, those inside others too, in order.

    >>> [one.content for one in objects_in('评分如下：```json\\n{"Score": 8}\\n``` 谢谢')]
    [{'score': 8}]
    """
    found: list[FoundObject] = []
    place, attempts, wrong = text.find("{"), 0, ""
    while place >= 0 and attempts < _MOST_BRACES:
        attempts += 1
        try:
            content, end = _DECODER.raw_decode(text, place)
            found += [FoundObject(one, end) for one in _nested(content)]
        except NotInForm as error:
            wrong, end = str(error), place + 1
        except (ValueError, RecursionError):  # also a number with too many digits
            end = place + 1
        place = text.find("{", end)
    if wrong:
        raise NotInForm(wrong)
    return found


def the_object(text: str) -> dict[str, Any]:
    """The one JSON object in a reply, with keys in lower case; NotInForm if there is none, or several.

    >>> the_object('<think>{"a": 1}?</think> So: {"A": 2}')
    {'a': 2}
    """
    behind = after_thoughts(text)
    outermost = {one.end: one.content for one in reversed(objects_in(behind))}
    if not outermost:
        raise NotInForm("the reply holds no JSON object")
    if any(one != next(iter(outermost.values())) for one in outermost.values()):
        raise NotInForm(f"the reply holds {len(outermost)} different JSON objects")
    return next(iter(outermost.values()))


def _nested(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
    for one in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _nested(one)


def _lower_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = {key.strip().lower(): value for key, value in pairs}
    if len(found) < len(pairs):
        raise NotInForm("the reply repeats a key")
    return found


def _no_constant(word: str) -> NoReturn:
    raise NotInForm(f"the reply contains {word}, which is not a number")


# Line breaks inside texts are common in replies and harmless.
_DECODER = json.JSONDecoder(object_pairs_hook=_lower_keys, parse_constant=_no_constant, strict=False)
