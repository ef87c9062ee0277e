from __future__ import annotations

import re
from pathlib import Path

from convergebench import api
from convergebench.run_progress import drawn_progress
from convergebench.run_progress.notebook import NotebookProgress
from convergebench.store import Workspace


def test_a_notebook_shows_every_model_with_its_edits(tmp_path: Path) -> None:
    settings = api.Settings(("jpeg", "blur"), "converge-drawn", rounds=1, limit=2, metrics=("psnr",))
    shown: list[str] = []
    with Workspace.create(tmp_path / "results") as store, NotebookProgress(shown.append) as progress:
        api.execute(api.make_plan(settings), settings, store, progress=progress)
    assert "0/4 edits" in shown[0]
    assert re.findall(r'left">(\w+)</td>.*?(\d+/\d+) edits', shown[-1]) == [("jpeg", "4/4"), ("blur", "4/4")]


def test_nothing_is_drawn_into_a_log_file() -> None:
    with drawn_progress() as progress:
        assert progress is None
