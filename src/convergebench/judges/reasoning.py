"""A reasoner: a vision-language model that inspects an edit and requests further edits, if needed."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache, cached_property
from importlib.resources import files
from typing import Any

from convergebench.judges.asking import Show
from convergebench.judges.base import JudgeImage, JudgeReply, Question, Verdict
from convergebench.judges.json_in_prose import NotInForm, the_object
from convergebench.judges.rubric import PictureLimits
from convergebench.providers import whole
from convergebench.types import Digest, fingerprint_of

FORM = 1
"""Increase this when the texts below or the parsing of replies change."""
JOINT = "; "
"""Separates instructions that are combined into one; the published weights use it themselves."""

_NOTHING = frozenset({"", "none", "no re-edit needed", "no edit needed"})
_TAGGED = re.compile(r"\s*<CoT>(.*?)</CoT>\s*<Re_edit>(.*?)</Re_edit>\s*", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"</?(?:CoT|Re_edit)>", re.IGNORECASE)
_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "reasoning": {"type": "string"},
        "instructions": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["reasoning", "instructions"],
    "additionalProperties": False,
}
_REPLY_FORM = (
    "Reply with one JSON object and nothing else. Its keys, in this order:\n"
    '- "reasoning": in a few sentences, what you expected, what you see, and what follows from it\n'
    '- "instructions": a list of texts, one for each change that is still needed; [] if none is'
)


@dataclass(frozen=True)
class Advice:
    """A reasoner's advice on an edit. No instructions means that nothing is left to do."""

    reasoning: str
    instructions: tuple[str, ...]

    @property
    def as_one(self) -> str:
        return JOINT.join(self.instructions)


@dataclass(frozen=True)
class Prompt:
    """The wording of the question to a reasoner."""

    id: str
    version: int
    system: str
    prompt: str
    pictures: PictureLimits

    @cached_property
    def fingerprint(self) -> str:
        words = asdict(self)
        del words["pictures"]["result_like_source"]  # as before there was such a thing
        return fingerprint_of(FORM, words)


@cache
def prompt() -> Prompt:
    text = (files("convergebench.judges") / "reasoners" / "look.toml").read_text(encoding="utf-8")
    data = tomllib.loads(text)
    return Prompt(
        data["id"],
        data["version"],
        data["system"].strip(),
        data["prompt"].strip(),
        PictureLimits(**data["pictures"]),
    )


def key_of(
    reasoner: str, prompt_id: str, pictures: Sequence[tuple[str, Digest]], texts: Mapping[str, str]
) -> str:
    """The key of advice; `reasoner` and `prompt_id` are fingerprints."""
    return fingerprint_of("look", reasoner, prompt_id, pictures, dict(texts))


def question(
    instruction: str,
    sources: Sequence[Digest],
    result: Digest,
    show: Show,
) -> Question:
    """The original, the current picture and the original instruction, and nothing else."""
    wording = prompt()
    parts: list[str | JudgeImage] = [wording.prompt, f"The instruction:\n<<<\n{instruction}\n>>>"]
    for number, digest in enumerate(sources, start=1):
        several = f", number {number}" if len(sources) > 1 else ""
        parts += [f"The original picture{several}:", show(digest, wording.pictures)]
    parts += ["The picture as it is now:", show(result, wording.pictures), _REPLY_FORM]
    return Question(wording.system, tuple(parts), _SCHEMA)


def verdict(reply: JudgeReply) -> Verdict:
    """The reply as a verdict: its value is the number of instructions."""
    if reply.ending == "refused":
        said = reply.text.strip() or reply.finish_reason
        return Verdict("refused", missing=f"the reasoner refused: {said}")
    try:
        advice = advice_in(reply.text)
    except NotInForm as error:
        if reply.ending == "truncated":
            return Verdict("truncated", missing=f"the reply was cut off ({reply.finish_reason})")
        return Verdict("unparseable", missing=str(error))
    return Verdict("ok", float(len(advice.instructions)), reason=advice.reasoning)


def advice_in(text: str) -> Advice:
    """The advice in a reply, which is one JSON object or the form of the published EditRefine weights.

    >>> advice_in("<CoT>The hat floats.</CoT><Re_edit>Lower the hat; Add its shadow</Re_edit>").instructions
    ('Lower the hat', 'Add its shadow')
    """
    if _TAG.search(text):
        return _tagged(text)
    answer = the_object(text)
    if set(answer) != {"reasoning", "instructions"}:
        raise NotInForm("the reply must have reasoning and instructions, and nothing else")
    reasoning, instructions = answer["reasoning"], answer["instructions"]
    if not isinstance(reasoning, str) or not reasoning.strip():
        raise NotInForm("the reply gives no reasoning")
    if not isinstance(instructions, list) or not all(
        isinstance(one, str) and one.strip() for one in instructions
    ):
        raise NotInForm(f"instructions is not a list of texts: {instructions!r}")
    return Advice(whole(reasoning.strip()), _needed([whole(" ".join(one.split())) for one in instructions]))


def _tagged(text: str) -> Advice:
    found = _TAGGED.fullmatch(text)
    if found is None or len(_TAG.findall(text)) != 4:
        raise NotInForm("the reply is not one <CoT>…</CoT> followed by one <Re_edit>…</Re_edit>")
    reasoning, listed = (" ".join(part.split()) for part in found.groups())
    if not reasoning:
        raise NotInForm("the reply gives no reasoning")
    return Advice(reasoning, _needed([part.strip() for part in listed.split(";")]))


def _needed(instructions: Sequence[str]) -> tuple[str, ...]:
    """Without empty instructions: an edit with the instruction "None" would be paid for."""
    return tuple(one for one in instructions if one.rstrip(".").lower() not in _NOTHING)
