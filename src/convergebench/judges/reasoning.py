"""A reasoner: a vision-language model that inspects an edit and requests further edits, if needed."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache, cached_property
from importlib.resources import files
from typing import Any

from convergebench.judges.asking import Show
from convergebench.judges.base import JudgeImage, JudgeReply, Question, Verdict
from convergebench.judges.contract import verdict_or_missing
from convergebench.judges.json_in_prose import NotInForm, the_object
from convergebench.judges.message import Message
from convergebench.judges.rubric import PictureLimits
from convergebench.providers import whole
from convergebench.types import Digest, Parameter, fingerprint_of

FORM = 1
"""Increase this when the texts below or the parsing of replies change."""
ALWAYS_EDITS = "always_edits"
JOINT = "; "
"""Separates instructions that are combined into one; the published weights use it themselves."""

_NOTHING = frozenset({"", "none", "no re-edit needed", "no edit needed"})
_TAG = re.compile(r"<(?P<end>/?)(?P<name>CoT|Re_edit)\b[^>]*>", re.IGNORECASE)
_COT = re.compile(r"<CoT\b[^>]*>(.*?)</CoT\s*>", re.DOTALL | re.IGNORECASE)
_RE_EDIT = re.compile(r"<Re_edit\b[^>]*>(.*?)</Re_edit\s*>", re.DOTALL | re.IGNORECASE)
_POLISH = re.compile(
    r"(?:please )?(?:improve|enhance|increase) (?:the )?(?:overall )?(?:image|picture)(?:['’]s)? quality\.?",
    re.IGNORECASE,
)
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
    polish: tuple[str, ...] = ()
    """Requests for better quality in general, which the published prompt asks for where nothing is wrong."""

    @property
    def as_one(self) -> str:
        return JOINT.join(self.instructions)

    def always(self, instruction: str) -> Advice:
        """The advice as upstream acts on it, which edits in any case: by the request for quality, or else by
        the original instruction once more."""
        return replace(self, instructions=self.instructions or self.polish or (instruction,))


@dataclass(frozen=True)
class Prompt:
    """The wording of the question to a reasoner."""

    id: str
    version: int
    system: str
    prompt: str
    pictures: PictureLimits
    message: Message | None = None
    """The question in published words; nothing is added to it."""
    wording: str = ""
    """As a rubric's."""

    @cached_property
    def fingerprint(self) -> str:
        words = asdict(self)
        if self.message is None:  # as it was before there were others
            del words["message"], words["wording"], words["pictures"]["result_like_source"]
        return fingerprint_of(FORM, words)


@dataclass(frozen=True)
class ReasonerPrompts:
    """The prompts of a refinement, and what is done with advice that asks for nothing."""

    by_category: tuple[tuple[str, Prompt], ...] = ()
    """In published words; ours is used if there are none. Other categories are asked by the first."""
    always_edits: bool = False
    """Edit again although nothing is wrong, as the published pipeline does."""

    def of(self, category: str) -> Prompt:
        if not self.by_category:
            return prompt()
        return dict(self.by_category).get(category, self.by_category[0][1])

    @property
    def all(self) -> list[Prompt]:
        return list(dict.fromkeys(one for _, one in self.by_category)) or [prompt()]

    @property
    def identity(self) -> dict[str, Parameter]:
        """The part of a refinement's identity that comes from here."""
        found: dict[str, Parameter] = {"prompt": prompt().fingerprint}
        if self.by_category:
            found["prompt"] = fingerprint_of([(name, one.fingerprint) for name, one in self.by_category])
        return {**found, ALWAYS_EDITS: True} if self.always_edits else found


OWN_PROMPTS = ReasonerPrompts()


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
    wording: Prompt, instruction: str, sources: Sequence[Digest], result: Digest, show: Show
) -> Question:
    """The original, the current picture and the original instruction, and nothing else."""
    if wording.message is not None:
        digests = [*sources, result]
        roles = [*("source" for _ in sources), "result"]
        laid_out = wording.message.laid_out({"instruction": instruction}, roles, several=len(sources) > 1)
        shown = (one if isinstance(one, str) else show(digests[one], wording.pictures) for one in laid_out)
        return Question(wording.message.system, tuple(shown), None)
    parts: list[str | JudgeImage] = [wording.prompt, f"The instruction:\n<<<\n{instruction}\n>>>"]
    for number, digest in enumerate(sources, start=1):
        several = f", number {number}" if len(sources) > 1 else ""
        parts += [f"The original picture{several}:", show(digest, wording.pictures)]
    parts += ["The picture as it is now:", show(result, wording.pictures), _REPLY_FORM]
    return Question(wording.system, tuple(parts), _SCHEMA)


def verdict(reply: JudgeReply) -> Verdict:
    """The reply as a verdict: its value is the number of instructions."""

    def read() -> Verdict:
        advice = advice_in(reply.text)
        return Verdict("ok", float(len(advice.instructions)), reason=advice.reasoning)

    return verdict_or_missing(reply, read, "reasoner")


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
    """Any number of both tags in any order. Several re-edits are one instruction each; one may list some."""
    if _unbalanced(text):
        raise NotInForm("the reply has a <CoT> or <Re_edit> without its end")
    reasoning = "\n".join(filter(None, (_one_line(part) for part in _COT.findall(text))))
    listed = [_one_line(part) for part in _RE_EDIT.findall(text)]
    if not listed:
        raise NotInForm("the reply has no <Re_edit>")
    if len(listed) == 1:
        listed = [part.strip() for part in listed[0].split(";")]
    wanted = _needed(listed)
    polish = tuple(one for one in wanted if _POLISH.fullmatch(one))
    return Advice(reasoning, tuple(one for one in wanted if one not in polish), polish)


def _unbalanced(text: str) -> bool:
    """Whether a tag is opened inside another, or lacks its beginning or end."""
    open_tag = ""
    for tag in _TAG.finditer(text):
        name, is_end = tag["name"].lower(), bool(tag["end"])
        if is_end != (open_tag == name) or (not is_end and open_tag):
            return True
        open_tag = "" if is_end else name
    return bool(open_tag)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _needed(instructions: Sequence[str]) -> tuple[str, ...]:
    """Without empty instructions: an edit with the instruction "None" would be paid for."""
    return tuple(one for one in instructions if one.rstrip(".").lower() not in _NOTHING)
