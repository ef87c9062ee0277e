"""What docs/refining.md shows, taken out of it and used."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import yaml

from convergebench.refinement.settings import RefinementSettings, refinement_settings

DOC = (Path(__file__).parents[2] / "docs" / "refining.md").read_text()


def test_the_file_shown_there_is_one_and_every_key_is_named() -> None:
    (text,) = re.findall(r"```yaml\n(.*?)```", DOC, re.DOTALL)
    shown = yaml.safe_load(text)
    assert refinement_settings(shown).rounds == 2
    named = set(shown) | set(re.findall(r"`(\w+)`", DOC))
    assert {one.name for one in fields(RefinementSettings)} <= named
