from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from extending.conftest import Commands, Install

NEGATIVE = """
    from convergebench.editors import editor
    from convergebench.editors.pixel import PixelEditor

    @editor("negative", summary="inverts", version="3", price_usd=0.01)
    def negative(facts):
        return PixelEditor(facts, lambda pixels, instruction, seed: 255 - pixels)
"""


def test_an_installed_editor_is_listed_run_ranked_and_exported(
    install: Install, commands: Commands, run_words: Callable[..., Any], tmp_path: Path
) -> None:
    install("convergebench.editors", "negative_editor", {"negative_editor.py": NEGATIVE})
    listed, ran, ranked, _ = commands(
        ("models", "--json"),
        run_words("--json", model="negative"),
        ("summary", "--json"),
        ("export", "-o", "out"),
    )
    assert "negative" in [one["name"] for one in listed.json]
    assert ran.json["run"]["edits"] == 2 * 2 * 2
    assert [row["model"] for row in ranked.json["rows"]] == ["negative"]
    assert any("negative" in file.read_text() for file in (tmp_path / "out").glob("*.csv"))
