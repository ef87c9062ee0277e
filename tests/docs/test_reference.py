"""The pages under docs/reference are what the code says."""

from __future__ import annotations

import runpy
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def test_the_reference_pages_are_made_from_the_code() -> None:
    pages = runpy.run_path(str(DOCS / "generate_reference.py"))["PAGES"]
    for name, page in pages.items():
        written = (DOCS / "reference" / f"{name}.md").read_text(encoding="utf-8")
        assert written == page(), "run: python docs/generate_reference.py"


def test_every_command_has_a_section() -> None:
    text = (DOCS / "reference" / "commands.md").read_text(encoding="utf-8")
    for name in ("run", "summary", "workspace merge", "models rename"):
        assert f"## convergebench {name}\n" in text
