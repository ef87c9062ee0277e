from __future__ import annotations

import pytest

from convergebench.cli.judging_progress import JudgingBar
from convergebench.judges import Verdict


def test_the_bar_counts_verdicts_and_what_is_missing_and_names_no_settings(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "100")
    with JudgingBar("server:vl?base_url=http://127.0.0.1:1/v1") as bar:
        bar.planned(3)
        bar.judged(Verdict("ok", 1.0), replayed=True)
        bar.judged(Verdict("refused", missing="no"), replayed=False)
    drawn = capsys.readouterr().err
    assert "server:vl " in drawn
    assert "2/3" in drawn
    assert "1 missing" in drawn
    assert "base_url" not in drawn
