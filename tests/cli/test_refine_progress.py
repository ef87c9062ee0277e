from __future__ import annotations

import re

import pytest

from convergebench.cli.refine_progress import RefineProgress
from convergebench.engine.refining.plan import Pipeline
from convergebench.judges import Verdict, open_judge
from convergebench.types import PictureFacts, Step
from scripted import Scripted

JUDGE = "server:vl?base_url=http://127.0.0.1:1/v1"


def step() -> Step:
    facts = PictureFacts("ab", 1, 1, "image/png")
    return Step(0, "primary", 0, "Add a hat", 1, ("aa",), facts, 0.1, 0.04, 1)


def pipeline(model: str) -> str:
    editor = Scripted(name=model)
    return Pipeline(editor, open_judge(JUDGE), editor).facts.name


@pytest.fixture(autouse=True)
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "100")


def drawn(capsys: pytest.CaptureFixture[str]) -> list[str]:
    lines = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", capsys.readouterr().err).splitlines()
    return [line.strip("\r ") for line in lines if line.strip()]


def test_edits_and_verdicts_are_shown_one_below_the_other_under_short_names(
    capsys: pytest.CaptureFixture[str],
) -> None:
    names = [pipeline("qwen?steps=20"), pipeline("qwen?steps=30")]
    with RefineProgress(JUDGE) as progress:
        for name in names:
            progress.editing.planned(name, 20)
        progress.planned(80)
        progress.editing.step(names[0], step(), replayed=False)
        progress.judged(Verdict("ok", 1.0), replayed=False)
    last = drawn(capsys)[-3:]
    assert [line.split()[0] for line in last] == ["qwen?steps=20", "qwen?steps=30", "server:vl"]
    assert ["1/20" in last[0], "0/20" in last[1], "1/80" in last[2]] == [True] * 3
    assert ["edits/s" in last[0], "verdicts/s" in last[2]] == [True, True]


def test_that_a_judge_cannot_go_on_is_said_at_once_above_the_bars(capsys: pytest.CaptureFixture[str]) -> None:
    with RefineProgress(JUDGE) as progress:
        progress.editing.planned(pipeline("qwen"), 20)
        progress.given_up("the key [is] not accepted")
    lines = drawn(capsys)
    assert "server:vl cannot continue: the key [is] not accepted" in lines
    assert lines[-1].startswith("qwen")
