"""ImgEdit's published wording, from the user's own copy: a JSON file with a prompt for each type of edit."""

from __future__ import annotations

from pathlib import Path

from convergebench.benchmarks.set_imgedit import TYPES
from convergebench.benchmarks.wording import AS_THEY_ARE, PublishedRubrics, in_published_words
from convergebench.judges import Rubric
from convergebench.judges.message import CategoryPassage, Exhibit, GradedLinesMessage, Template
from convergebench.judges.published_wording import find_in_copy, json_texts, required_text
from convergebench.judges.rubric import PictureLimits

FILE = "Benchmark/Basic/prompts.json"
_MARKERS = {"<edit_prompt>": "instruction"}
_PICTURES = PictureLimits(longest_side=AS_THEY_ARE)


def published_rubrics(copy: Path) -> dict[str, Rubric]:
    """The prompt of the case's type, then both pictures in their own size; no system message."""
    file = find_in_copy(copy, FILE)
    texts = json_texts(file)
    prompts = tuple(
        CategoryPassage(Template.of_markers(required_text(texts, kind, file), _MARKERS), category=kind)
        for kind in TYPES
    )
    message = GradedLinesMessage((*prompts, Exhibit("source"), Exhibit("result")))
    return in_published_words({"edit_grades": message}, _PICTURES)


PUBLISHED = PublishedRubrics(("edit_grades",), published_rubrics, "PKU-YuanGroup/ImgEdit")
