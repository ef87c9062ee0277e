"""The inverse of an instruction, and whether it has one: by built-in pairs, rules and templates, and
optionally by a language model."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_args

from convergebench.engine.budget import Budget
from convergebench.engine.limits import Lane, Limits, Patience
from convergebench.instructions.fill_inverses import known_inverse
from convergebench.instructions.inverse import is_its_own_inverse, read
from convergebench.instructions.reversibility import Classed, classify, plain
from convergebench.judges import Judge, Question
from convergebench.judges.json_in_prose import NotInForm, the_object
from convergebench.types import EditError, Misconfigured, Reversibility

_SYSTEM = "You work with instructions for editing pictures. You answer with one JSON object and nothing else."
_INVERT = """
An editor has carried out the instruction below on a picture. Write the instruction that undoes it, for an
editor that sees only the edited picture. Name the same things in the same words, ask for nothing else, and
use one sentence. Where the instruction undoes itself, repeat it. Where no words can undo it, leave it empty.
Reply with one JSON object: {"inverse": "…"}

The instruction:
<<<
%s
>>>"""
_CLASSIFY = """
If the instruction below is carried out on a picture and then undone by words alone, does the same picture
come back? Choose one:
- "reversible": yes; what it does is named exactly, or lies on top of what was there
- "information-destroying": no; it takes something away that words cannot give back
- "information-inventing": no; it shows something that could not be seen before and had to be made up
- "ambiguous": perhaps; how much, or back to what, is left open
Reply with one JSON object: {"because": "one sentence", "reversibility": "…"}

The instruction:
<<<
%s
>>>"""
_SMALL_WORDS = frozenset(
    ("a", "an", "the", "some", "to", "from", "on", "off", "in", "of", "by", "pair", "again")
)


@dataclass(frozen=True)
class Inverse:
    """The inverse of an instruction, its origin, and the rejected candidates."""

    text: str | None
    """None if unknown."""
    by: str
    turned_down: tuple[str, ...] = ()


async def inverse_of(instruction: str, judge: Judge | None = None) -> Inverse:
    """Uses the language model if there is one and its answer is valid, otherwise the pairs and templates.

    An answer is valid if it is not empty, is not the instruction itself (unless that undoes itself), and if
    its own inverse means the instruction again.
    """
    turned_down: tuple[str, ...] = ()
    if judge is not None:
        answer = await _answer(judge, _INVERT % instruction, "inverse")
        why_not = await _objection(judge, instruction, answer)
        if why_not is None:
            return Inverse(answer, judge.facts.name)
        turned_down = (f"{judge.facts.name} said {answer!r}, but {why_not}",)
    text, by = known_inverse(instruction)
    return Inverse(text, by, turned_down)


async def class_of(instruction: str, judge: Judge | None = None) -> Classed:
    """Uses the rules; where no rule applies, uses the language model if there is one."""
    found = classify(instruction)
    if found.reversibility is not None or judge is None:
        return found
    reply = await _reply(judge, _CLASSIFY % instruction, ("because", "reversibility"))
    known: Reversibility
    for known in get_args(Reversibility):
        if known == reply["reversibility"]:
            return Classed(known, judge.facts.name, reply["because"])
    return Classed(None, "", f"{judge.facts.name} said {reply['reversibility']!r}, which is no class")


async def _objection(judge: Judge, instruction: str, answer: str) -> str | None:
    if not answer.strip():
        return "that says nothing"
    if plain(answer).lower() == plain(instruction).lower():
        return None if is_its_own_inverse(instruction) else "that is the instruction itself"
    again = await _answer(judge, _INVERT % answer, "inverse")
    return None if same_meaning(instruction, again) else f"undoing that in turn is {again!r}"


def same_meaning(one: str, other: str) -> bool:
    """Whether templates read the same meaning from both, or both have the same words except for small ones.

    >>> same_meaning("Put a hat on the man.", "Add the hat to the man")
    True
    """
    first, second = read(one), read(other)
    if first is not None and second is not None:
        return first == second
    return _words(one) == _words(other)


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text.lower())) - _SMALL_WORDS


async def _answer(judge: Judge, prompt: str, key: str) -> str:
    return (await _reply(judge, prompt, (key,)))[key]


async def _reply(judge: Judge, prompt: str, keys: tuple[str, ...]) -> Mapping[str, str]:
    """The texts under these keys; raises the error that remained after all worthwhile attempts."""
    schema = {
        "type": "object",
        "properties": {key: {"type": "string"} for key in keys},
        "required": list(keys),
        "additionalProperties": False,
    }
    question = Question(_SYSTEM, (prompt,), schema)
    limits = Limits(Lane(), Patience(), Budget(), asyncio.Event())
    done = await limits.attempt(lambda: judge.ask(question), None)
    if isinstance(done.outcome, EditError):
        raise done.outcome
    try:
        content: dict[str, Any] = the_object(done.outcome.text)
        return {key: _text(content, key) for key in keys}
    except NotInForm as error:
        raise Misconfigured(f"{judge.facts.name} does not answer in the form: {error}") from error


def _text(answer: Mapping[str, Any], key: str) -> str:
    if not isinstance(answer.get(key), str):
        raise NotInForm(f"there is no text under {key!r}")
    return str(answer[key])
