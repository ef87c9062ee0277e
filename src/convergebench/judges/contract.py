"""The contract on a reply: the only place where a judge's words become numbers.

Nothing is picked out of prose but JSON, and two objects that say different things are no verdict. Published
words that ask for lines such as `Name: 4` are answered by exactly as many of them as there are grades.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from convergebench.judges.base import JudgeReply, Verdict
from convergebench.judges.json_in_prose import NotInForm, after_thoughts, objects_in
from convergebench.judges.message import GradedLinesMessage
from convergebench.judges.rubric import CHOICES, REASON, Ask, Rubric
from convergebench.providers import whole
from convergebench.shown_text import counted

SCORE = "score"
"""The key of published reply forms: a number, a list of numbers, or yes or no."""
_REASONS = (REASON, "reasoning")
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")
_GRADED_LINE = re.compile(r"[^:]*: (?P<grade>\d+)")
_WORDS = {"是": "yes", "否": "no"}
_REFUSAL_LETTERS = 600
_REFUSAL = re.compile(
    r"\b(?:i['’]m sorry|i am sorry|i apologi[sz]e|sorry)[,.:]?\s+(?:but\s+)?(?:i|we|this)\b"
    r"|\bi\s*(?:can(?:no|['’])t|can not|(?:am|['’]m) (?:unable|not able) to|won['’]t|must decline)\s+"
    r"(?:\w+\s+){0,2}?(?:assist|help|comply|provide|process|view|analy[sz]e|evaluate|discuss|fulfil+|complete|"
    r"continue|engage|identify|answer)\b"
    r"|(?:抱歉|对不起|很遗憾)[^。]{0,20}(?:无法|不能|不便)|我(?:无法|不能)(?:协助|提供|处理|评价|评估|满足|完成|继续|回答)",
    re.IGNORECASE,
)


class OutOfRange(Exception):
    """All fields exist, but a score is outside its scale."""


def verdict(reply: JudgeReply, rubric: Rubric) -> Verdict:
    """The reply's scores, or the kind of missing verdict."""
    return verdict_or_missing(reply, lambda: _answered(reply, rubric))


def verdict_or_missing(reply: JudgeReply, read: Callable[[], Verdict], author: str = "judge") -> Verdict:
    """What `read` finds in the reply, or the kind of missing verdict."""
    if reply.ending == "refused":
        said = reply.text.strip() or reply.finish_reason
        return Verdict("refused", missing=f"the {author} refused: {said}")
    try:
        return read()
    except NotInForm as error:
        if reply.ending == "truncated":
            return Verdict("truncated", missing=f"the reply was cut off ({reply.finish_reason})")
        if is_refusal(reply.text):
            return Verdict("refused", missing=f"the {author} refused: {reply.text.strip()}")
        return Verdict("unparseable", missing=str(error))
    except OutOfRange as error:
        return Verdict("out_of_range", missing=str(error))


def is_refusal(text: str) -> bool:
    """Whether a reply without JSON is a short plain refusal, in English or Chinese.

    >>> is_refusal("I'm sorry, but I can't assist with that."), is_refusal("I cannot find any flaw.")
    (True, False)
    """
    return "{" not in text and len(text) <= _REFUSAL_LETTERS and _REFUSAL.search(text) is not None


def _answered(reply: JudgeReply, rubric: Rubric) -> Verdict:
    """The verdict on which all objects agree that hold one."""
    text = after_thoughts(reply.text)
    if isinstance(rubric.message, GradedLinesMessage):
        return _graded_in_lines(text, rubric)
    found, errors = [], []
    for one in objects_in(text):
        if reply.ending == "truncated" and "{" in text[one.end :]:
            raise NotInForm("the reply was cut off behind its first object")
        try:
            found.append(_verdict(one.content, rubric))
        except (NotInForm, OutOfRange) as error:
            errors.append(error)
    outside = [error for error in errors if isinstance(error, OutOfRange)]
    if not found:
        raise (outside or errors[:1] or [NotInForm("the reply holds no JSON object")])[0]
    if outside or any(one.scores != found[0].scores for one in found):
        raise NotInForm("the reply holds several verdicts that differ")
    return found[0]


def _graded_in_lines(text: str, rubric: Rubric) -> Verdict:
    """Lines of two parts, the second a whole number, as ImgEdit's own program reads them."""
    grades, others = [], []
    for line in text.splitlines():
        found = _GRADED_LINE.fullmatch(line.strip())
        if found:
            grades.append(found["grade"])
        else:
            others.append(line.strip())
    if len(grades) != len(rubric.ask):
        raise NotInForm(
            f"the reply has {counted(len(grades), 'line')} with a grade instead of {len(rubric.ask)}"
        )
    given = dict(zip((one.name for one in rubric.ask), grades, strict=True))
    scores = {one.name: _score(given, one) for one in rubric.ask}
    return Verdict("ok", rubric.value_of(scores), scores, whole(" ".join(filter(None, others))))


def _verdict(answer: Mapping[str, Any], rubric: Rubric) -> Verdict:
    given = answer if rubric.message is None else _published(answer, rubric)
    scores = {one.name: _score(given, one) for one in rubric.ask}
    reason = next((text for key in _REASONS if isinstance(text := answer.get(key), str) and text.strip()), "")
    if not reason and rubric.message is None:
        raise NotInForm("the reply gives no reason")
    return Verdict("ok", rubric.value_of(scores), scores, whole(reason.strip()))


def _published(answer: Mapping[str, Any], rubric: Rubric) -> dict[str, Any]:
    """What is under the published key, by the names of the rubric: in order, where it is a list or object.
    Some published forms have the grades under their own names instead."""
    if SCORE not in answer and all(one.name in answer for one in rubric.ask):
        return dict(answer)
    if SCORE not in answer:
        raise NotInForm(f"the reply lacks {SCORE}")
    given = answer[SCORE]
    values = (
        given if isinstance(given, list) else list(given.values()) if isinstance(given, dict) else [given]
    )
    if len(values) != len(rubric.ask):
        raise NotInForm(f"the reply has {counted(len(values), 'score')} instead of {len(rubric.ask)}")
    return {one.name: value for one, value in zip(rubric.ask, values, strict=True)}


def _score(answer: Mapping[str, Any], ask: Ask) -> float:
    name = ask.name if ask.name in answer else ask.name.lower()
    if name not in answer:
        raise NotInForm(f"the reply lacks {ask.name}")
    given = answer[name]
    if ask.choice:
        return _choice(given, ask.name)
    if ask.low is None or ask.high is None:
        return _yes_or_no(given, ask.name)
    number = float(given) if isinstance(given, str) and _NUMBER.fullmatch(given.strip()) else given
    if isinstance(number, bool) or not isinstance(number, int | float):
        raise NotInForm(f"{ask.name} is not a number: {given!r}")
    if not ask.low <= number <= ask.high:
        raise OutOfRange(f"{ask.name} is {given}, outside {ask.low:g} to {ask.high:g}")
    return float(number)


def _word(given: Any) -> str:
    said = given.strip().rstrip(".。!").lower() if isinstance(given, str) else ""
    return _WORDS.get(said, said)


def _yes_or_no(given: Any, name: str) -> float:
    if _word(given) not in ("yes", "no"):
        raise NotInForm(f"{name} is neither yes nor no: {given!r}")
    return float(_word(given) == "yes")


def _choice(given: Any, name: str) -> float:
    if _word(given) not in CHOICES:
        raise NotInForm(f"{name} is none of {', '.join(CHOICES)}: {given!r}")
    return CHOICES[_word(given)]
