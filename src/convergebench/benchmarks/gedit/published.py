"""GEdit-Bench's published wording, from the user's own copy: VIEScore's prompts in a Python file."""

from __future__ import annotations

from pathlib import Path

from convergebench.benchmarks.wording import AS_THEY_ARE, PublishedRubrics, in_published_words
from convergebench.judges import Rubric
from convergebench.judges.message import Exhibit, Message, Passage, Template
from convergebench.judges.published_wording import find_in_copy, python_strings, required_text
from convergebench.judges.rubric import PictureLimits

FILE = "GEdit-Bench/viescore/vie_prompts.py"
_CONTEXT = "_context_no_delimit"
_SC = (_CONTEXT, "_prompts_0shot_two_image_edit_rule", "_prompts_0shot_tie_rule_SC")
_PQ = (_CONTEXT, "_prompts_0shot_rule_PQ")
_MARKERS = {"<instruction>": "instruction"}
_PICTURES = PictureLimits(longest_side=AS_THEY_ARE, format="jpeg", quality=75)
"""As VIEScore's client encodes them: JPEG with Pillow's default quality, in their own size."""


def published_rubrics(copy: Path) -> dict[str, Rubric]:
    """Text first, then the pictures; no system message."""
    file = find_in_copy(copy, FILE, "viescore/vie_prompts.py")
    texts = python_strings(file)

    def words(*names: str) -> Passage:
        joined = "\n".join(required_text(texts, name, file) for name in names)
        return Passage(Template.of_markers(joined, _MARKERS))

    messages = {
        "gedit_sc": Message((words(*_SC), Exhibit("source"), Exhibit("result"))),
        "gedit_pq": Message((words(*_PQ), Exhibit("result"))),
    }
    return in_published_words(messages, _PICTURES)


PUBLISHED = PublishedRubrics(("gedit_sc", "gedit_pq"), published_rubrics, "stepfun-ai/Step1X-Edit")
