"""What docs/judging.md says of rubrics, taken out of it and used."""

from __future__ import annotations

import re
from pathlib import Path

from convergebench.judges import rubric_names
from convergebench.judges.registry import PROVIDERS
from convergebench.judges.rubric import parsed

DOC = (Path(__file__).parents[2] / "docs" / "judging.md").read_text()


def test_the_rubric_shown_there_is_one() -> None:
    (text,) = re.findall(r"```toml\n(.*?)```", DOC, re.DOTALL)
    mine = parsed(text, "the docs'")
    assert [(one.name, one.is_scale) for one in mine.ask] == [("mood", True), ("nicer", False)]


def test_every_rubric_and_every_provider_is_in_its_tables() -> None:
    assert {name for name in rubric_names() if f"`{name}`" not in DOC} == set()
    assert {name for name in PROVIDERS if f"`{name}:MODEL" not in DOC} == set()
