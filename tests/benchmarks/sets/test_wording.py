"""Published words for sets: what is sent, how replies are read, and whose words a figure is in."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import set_imitations as imitations
from convergebench.benchmarks.imgedit_wording import published_rubrics
from convergebench.cli.main import code_of
from convergebench.judges import JudgeReply
from convergebench.judges.contract import verdict
from published_clones import imgedit_clone, vincie_clone
from servers.judge import JudgeServer, completion


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONVERGEBENCH_CACHE", str(tmp_path / "cache"))


def run(suite: str, workspace: Path, *more: str) -> None:
    command = ["run", "-m", "identity", "--suite", suite, "--metric", "psnr", "-w", str(workspace), "--json"]
    assert code_of([*command, *more]) == 0


def test_mse_bench_is_asked_in_its_own_template_with_the_history(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(f"mse-bench?data={imitations.write_mse_bench(tmp_path / 'data')}", tmp_path / "w", "--limit", "1")
    capsys.readouterr()
    clone = vincie_clone(tmp_path / "VINCIE")
    reply = '{"reason": "seen", "prompt_following": 9, "consistency": 8}'
    with JudgeServer(lambda number, asked: completion(reply)) as judge:
        turns = ["turns", "-w", str(tmp_path / "w"), "--judge", judge.name, "--json"]
        assert code_of([*turns, "--prompts", str(clone)]) == 0
        (shown,) = json.loads(capsys.readouterr().out)
        second = next(one for one in judge.asked if len(one.pictures) == 3)
    assert second.system is None
    assert second.texts == [
        "2 wishes and 3 pictures: {'turn1': 'Add cup 0', 'turn2': 'Make it red'}\n"
        'Answer {"reason": "...", "prompt_following": int, "consistency": int}'
    ]
    passed = next(one for one in shown["curves"] if one["figure"] == "passed")
    assert "published wording" in passed["title"]
    assert [point["mean"] for point in passed["turns"]] == [100.0] * 5


def test_two_wordings_are_two_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(f"mse-bench?data={imitations.write_mse_bench(tmp_path / 'data')}", tmp_path / "w", "--limit", "1")
    clone = vincie_clone(tmp_path / "VINCIE")

    def script(number: int, asked: object) -> object:
        grade = 9 if number == 1 else 2
        return completion(f'{{"reason": "seen", "prompt_following": {grade}, "consistency": 8}}')

    with JudgeServer(script) as judge:  # type: ignore[arg-type]
        for more in ([], ["--prompts", str(clone)]):
            capsys.readouterr()
            assert code_of(["turns", "-w", str(tmp_path / "w"), "--judge", judge.name, "--json", *more]) == 0
    (shown,) = json.loads(capsys.readouterr().out)
    passed = {one["title"]: one["turns"][0]["mean"] for one in shown["curves"] if one["figure"] == "passed"}
    assert sorted(passed.values()) == [0.0, 100.0]
    assert next(mean for title, mean in passed.items() if "published" in title) == 0.0


def test_imgedit_is_asked_with_the_prompt_of_the_type_and_answered_in_lines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = imitations.write_imgedit(tmp_path / "data")
    run(f"imgedit?data={data}", tmp_path / "w")
    capsys.readouterr()
    reply = "Brief reasoning: fine\nPrompt Compliance: 5\nVisual Seamlessness: 4\nIntegrity: 3"
    with JudgeServer(lambda number, asked: completion(reply)) as judge:
        score = ["score", "--suite", "imgedit", "--data", str(data), "-w", str(tmp_path / "w"), "--json"]
        clone = imgedit_clone(tmp_path / "ImgEdit")
        assert code_of([*score, "--judge", judge.name, "--prompts", str(clone)]) == 0
        asked = {text for one in judge.asked for text in one.texts}
    kinds = ("add", "remove", "style", "background", "replace")
    assert asked == {
        f"Grade the {kind} three times.\nWish: Add cup {number}" for number, kind in enumerate(kinds)
    }
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert {row["score"] for row in rows} == {4.0}
    assert all(row["wording"].startswith("published wording") for row in rows)


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        ("A: 5\nB: 4\nC: 3", "ok"),
        ("A: 5\nB: 4", "unparseable"),
        ("A: 5\nB: 4\nC: 9", "out_of_range"),
        ("A: 5\nB: 4\nC: three", "unparseable"),
        ("I'm sorry, but I can't assist with that.", "refused"),
    ],
)
def test_a_reply_in_lines_has_exactly_the_grades_that_were_asked_for(
    reply: str, outcome: str, tmp_path: Path
) -> None:
    asked = published_rubrics(imgedit_clone(tmp_path / "ImgEdit"))["edit_grades"]
    assert verdict(JudgeReply(reply, "complete", "stop", "judge"), asked).outcome == outcome


def test_a_set_without_published_words_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(f"edival?data={imitations.write_edival(tmp_path / 'data')}", tmp_path / "w", "--limit", "1")
    with JudgeServer() as judge:
        command = ["turns", "-w", str(tmp_path / "w"), "--judge", judge.name, "--prompts", str(tmp_path)]
        assert code_of(command) == 2
    assert "has no published wording" in capsys.readouterr().err
