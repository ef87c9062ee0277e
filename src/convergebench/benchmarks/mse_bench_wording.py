"""MSE-Bench's published wording, from the user's own copy: a template in the Python file that grades."""

from __future__ import annotations

from pathlib import Path

from convergebench.benchmarks.wording import AS_THEY_ARE, PublishedRubrics, in_published_words
from convergebench.judges import Rubric
from convergebench.judges.message import Exhibit, Message, Passage
from convergebench.judges.published_wording import (
    find_in_copy,
    format_template,
    python_strings,
    required_text,
)
from convergebench.judges.rubric import PictureLimits

FILE = "evaluation/compute_score.py"
PROMPTS, PROMPT_COUNT, PICTURE_COUNT = "editing_prompt", "num_prompts", "num_images"
"""The fields of the template: all instructions so far, their number, and that of the pictures."""
_TEXT = "prompt_template"
_PICTURES = PictureLimits(longest_side=AS_THEY_ARE)


def published_rubrics(copy: Path) -> dict[str, Rubric]:
    """Text first, then the source and every result so far in their own size; no system message."""
    file = find_in_copy(copy, FILE)
    fields = {name: name for name in (PROMPTS, PROMPT_COUNT, PICTURE_COUNT)}
    words = format_template(required_text(python_strings(file), _TEXT, file), fields, _TEXT, file)
    message = Message((Passage(words), Exhibit("source"), Exhibit("result")))
    return in_published_words({"session_turn": message}, _PICTURES)


def template_texts(instructions: list[str]) -> dict[str, str]:
    """What MSE-Bench fills its template with: the instructions as Python prints a mapping of them.

    >>> template_texts(["Add a hat", "Make it red"])["editing_prompt"]
    "{'turn1': 'Add a hat', 'turn2': 'Make it red'}"
    """
    by_turn = {f"turn{number}": one for number, one in enumerate(instructions, start=1)}
    return {
        PROMPTS: str(by_turn),
        PROMPT_COUNT: str(len(instructions)),
        PICTURE_COUNT: str(len(instructions) + 1),
    }


PUBLISHED = PublishedRubrics(("session_turn",), published_rubrics, "ByteDance-Seed/VINCIE")
