"""WiseEdit's published wording, from the user's own copy: prompts and captions in its Python files."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from convergebench.benchmarks.wording import PublishedRubrics, in_published_words
from convergebench.errors import WrongUse
from convergebench.judges import Rubric
from convergebench.judges.message import NUMBER, Exhibit, Message, MessagePart, Passage, Template
from convergebench.judges.published_wording import (
    find_in_copy,
    python_function,
    python_strings,
    required_text,
    string_template,
)

_SINGLE, _SEVERAL, _MESSAGES = (
    f"Evaluation/{name}.py" for name in ("prompt_single", "prompt_multi", "evaluation_utils")
)
_FUNCTION = "build_message_for_metric"
_FIELDS = {"instruction": "instruction", "hint": "hint", "idx": NUMBER, "metric": "metric"}
_PROMPTS = {
    "wiseedit_dp": "prompt_detail_preserving",
    "wiseedit_if": "prompt_instruction_following",
    "wiseedit_vq": "prompt_visual_quality",
    "wiseedit_kf": "prompt_knowledge_fidelity",
    "wiseedit_cf": "prompt_creative_fusion",
}
_WITH_HINT = ("wiseedit_if", "wiseedit_kf")


@dataclass(frozen=True)
class _Captions:
    """The texts between the pictures, which upstream has inside a function."""

    alone: Template
    """Before a result that is shown by itself."""
    instruction: Template
    """Follows the prompt."""
    source: Template
    source_of_several: Template
    result: Template
    hint: Template
    reference: Template


def published_rubrics(copy: Path) -> dict[str, Rubric]:
    """Prompt and instruction first, then each picture after its caption; no system message."""
    single, several = (find_in_copy(copy, name) for name in (_SINGLE, _SEVERAL))
    texts = {**python_strings(several), **python_strings(single)}
    captions = _captions(find_in_copy(copy, _MESSAGES))
    messages = {}
    for name, prompt in _PROMPTS.items():
        if name == "wiseedit_vq":
            words = Passage(Template((required_text(texts, prompt, single),)))
            messages[name] = Message((words, Exhibit("result", captions.alone)))
            continue
        messages[name] = Message(
            _parts(name, required_text(texts, f"{prompt}_single", single), captions, captions.source),
            parts_for_several=_parts(
                name, required_text(texts, f"{prompt}_multi", several), captions, captions.source_of_several
            ),
        )
    return in_published_words(messages)


def _parts(name: str, prompt: str, captions: _Captions, source: Template) -> tuple[MessagePart, ...]:
    parts: list[MessagePart] = [
        Passage(Template((prompt,))),
        Passage(captions.instruction, is_joined=True),
        Exhibit("source", source),
        Exhibit("result", captions.result),
    ]
    if name in _WITH_HINT:
        parts += [Passage(captions.hint, needs="hint"), Exhibit("references", captions.reference)]
    return tuple(parts)


def _captions(file: Path) -> _Captions:
    function = python_function(file, _FUNCTION)
    found = [template for template in _templates(function) if "metric" not in template.fields]
    by_field = {field: one for one in found for field in one.fields}
    plain = [one for one in found if not one.fields]
    if len(plain) != 4 or not {"instruction", "hint", NUMBER} <= set(by_field):
        raise WrongUse(f"{file} builds its messages in another way than the published version; use that one")
    alone, source, result, reference = plain
    return _Captions(
        alone, by_field["instruction"], source, by_field[NUMBER], result, by_field["hint"], reference
    )


def _templates(function: ast.FunctionDef) -> Iterator[Template]:
    """The texts of the message's parts in the order of the file; a variable stands for what it is set to."""
    assigned = {
        statement.targets[0].id: statement.value
        for statement in ast.walk(function)
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name)
    }
    parts = [part for part in ast.walk(function) if isinstance(part, ast.Dict)]
    for part in sorted(parts, key=lambda one: (one.lineno, one.col_offset)):
        text = _value(part, "text")
        if text is None:
            continue
        if isinstance(text, ast.Name):
            text = assigned.get(text.id)
        if isinstance(text, ast.BinOp):  # the prompt, and what follows it
            text = text.right
        template = string_template(text, _FIELDS) if text is not None else None
        if template is not None:
            yield template


def _value(part: ast.Dict, key: str) -> ast.expr | None:
    entries: Mapping[str, ast.expr] = {
        name.value: value
        for name, value in zip(part.keys, part.values, strict=True)
        if isinstance(name, ast.Constant) and isinstance(name.value, str)
    }
    return entries.get(key)


PUBLISHED = PublishedRubrics(tuple(_PROMPTS), published_rubrics, "beepkh/WiseEdit")
