from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from extending.conftest import Commands
from report.page.test_static_site import section
from servers.judge import JudgeServer

MOOD = """
id = "mood"
version = 4
of = "edit"
sees = ["source", "result"]
prompt = "Compare the mood of the two pictures."

[[ask]]
name = "mood"
low = 1
high = 9
asks = "How near is the mood?"
"""


def test_a_rubric_of_your_own_is_asked_summed_up_and_shown(
    commands: Commands, run_words: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / "mood.toml").write_text(MOOD)
    with JudgeServer() as judge:
        _, judged, _ = commands(
            run_words(),
            ("judge", "--judge", judge.name, "--rubric", "mood.toml", "--json"),
            ("report", "-o", "page"),
        )
    assert [(row["rubric"], row["n"], row["mean"]) for row in judged.json["rows"]] == [("mood@4", 4, 7)]
    assert "mood" in [one["id"] for one in section(tmp_path / "page", "judging")["rubrics"]]
