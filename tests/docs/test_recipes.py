"""The files that recipes show can be used as they stand."""

from __future__ import annotations

import csv
from pathlib import Path

from convergebench.instructions.fill_inverses import known_inverse

PAGE = Path(__file__).parents[2] / "docs/recipes.md"


def test_the_edits_of_the_recipe_can_be_undone() -> None:
    (block,) = [one for one in PAGE.read_text().split("```") if one.startswith("\npicture,forward,backward")]
    rows = list(csv.DictReader(block.strip().splitlines()))
    assert [row["backward"] for row in rows].count("") == 1
    assert all(row["backward"] or known_inverse(row["forward"])[0] for row in rows)
