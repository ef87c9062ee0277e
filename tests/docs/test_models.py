"""docs/models.md is what the short names say."""

from __future__ import annotations

import runpy
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_of_models_is_made_from_the_short_names() -> None:
    expected = runpy.run_path(str(DOCS / "generate_models.py"))["page"]()
    assert (DOCS / "models.md").read_text(encoding="utf-8") == expected, "run: python docs/generate_models.py"
