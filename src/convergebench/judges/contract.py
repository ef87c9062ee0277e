"""The contract on a reply: the only place where a judge's text becomes numbers."""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

from convergebench.judges.base import JudgeReply, Verdict
from convergebench.judges.rubric import CHOICES, REASON, Ask, Rubric
from convergebench.providers import whole

_FENCE = re.compile(r"```[a-zA-Z]*\s*(?:\n|(?=\{))(.*?)```", re.DOTALL)
_THOUGHT_ENDS = "</think>"
_THOUGHT_BEGINS = "<think>"


class NotInForm(Exception):
    """The reply is not one object with all required fields."""


class OutOfRange(Exception):
    """All fields exist, but a score is outside its scale."""


def verdict(reply: JudgeReply, rubric: Rubric) -> Verdict:
    """The reply's scores, or the kind of missing verdict."""
    if reply.ending == "refused":
        return Verdict("refused", missing=f"the judge refused: {reply.text.strip() or reply.finish_reason}")
    try:
        answer = the_object(reply.text)
        scores = {one.name: _score(answer, one) for one in rubric.ask}
        reason = _reason(answer)
    except NotInForm as error:
        if reply.ending == "truncated":
            return Verdict("truncated", missing=f"the reply was cut off ({reply.finish_reason})")
        return Verdict("unparseable", missing=str(error))
    except OutOfRange as error:
        return Verdict("out_of_range", missing=str(error))
    return Verdict("ok", rubric.value_of(scores), scores, reason)


def the_object(text: str) -> dict[str, Any]:
    """The single JSON object in a reply: bare, or in its only code fence; thoughts before it are ignored.

    >>> the_object('<think>{"a": 1}?</think> {"a": 2}')
    {'a': 2}
    """
    said = text.strip()
    if not said.startswith("{"):
        said = _fenced(_after_thoughts(said))
    try:
        found = json.loads(said, object_pairs_hook=_without_doubles, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:  # also raised for a number with too many digits
        raise NotInForm(f"the reply is not one JSON object ({error})") from error
    if not isinstance(found, dict):
        raise NotInForm(f"the reply is a JSON {type(found).__name__}, not an object")
    return found


def _after_thoughts(text: str) -> str:
    if _THOUGHT_BEGINS in text and _THOUGHT_ENDS not in text:
        raise NotInForm("the reply ends inside its reasoning section")
    return text.rpartition(_THOUGHT_ENDS)[2].strip()


def _fenced(text: str) -> str:
    """The content of the only code fence, or the text itself without one."""
    fenced: list[str] = _FENCE.findall(text)
    if not fenced or text.startswith("{"):
        return text
    if len(fenced) > 1:
        raise NotInForm(f"the reply has {len(fenced)} fenced blocks instead of one")
    if "{" in _FENCE.sub("", text):
        raise NotInForm("the reply has text outside its fenced block")
    return fenced[0]


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise NotInForm("the reply repeats a key")
    return found


def _no_constant(word: str) -> NoReturn:
    raise NotInForm(f"the reply contains {word}, which is not a number")


def _score(answer: dict[str, Any], ask: Ask) -> float:
    if ask.name not in answer:
        raise NotInForm(f"the reply lacks {ask.name}")
    given = answer[ask.name]
    if ask.choice:
        return _choice(given, ask.name)
    if ask.low is None or ask.high is None:
        return _yes_or_no(given, ask.name)
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise NotInForm(f"{ask.name} is not a number: {given!r}")
    if not ask.low <= given <= ask.high:
        raise OutOfRange(f"{ask.name} is {given}, outside {ask.low:g} to {ask.high:g}")
    return float(given)


def _yes_or_no(given: Any, name: str) -> float:
    said = given.strip().lower() if isinstance(given, str) else given
    if said not in ("yes", "no"):
        raise NotInForm(f"{name} is neither yes nor no: {given!r}")
    return float(said == "yes")


def _choice(given: Any, name: str) -> float:
    said = given.strip().lower() if isinstance(given, str) else ""
    if said not in CHOICES:
        raise NotInForm(f"{name} is none of {', '.join(CHOICES)}: {given!r}")
    return CHOICES[said]


def _reason(answer: dict[str, Any]) -> str:
    reason = answer.get(REASON)
    if not isinstance(reason, str) or not reason.strip():
        raise NotInForm("the reply gives no reason")
    return whole(reason.strip())
