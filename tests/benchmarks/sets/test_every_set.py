"""Every published set in its own layout: loaded, run, resumed, and lazily."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import set_imitations as imitations
from convergebench import suites
from convergebench.benchmarks.set_genai_bench import EditVote, read_votes
from convergebench.cli.main import code_of
from convergebench.picture import Picture
from convergebench.suites._lazy_pictures import LazyPicture
from dying_editor import DIES_AT
from forked_python import run as run_python
from servers.judge import Answer, Asked, JudgeServer, completion, graded

TESTS = Path(__file__).parents[2]
Write = Callable[[Path], Path]
SETS: dict[str, tuple[str, Write, int, int]] = {
    "edival": ("edival", imitations.write_edival, 5, 15),
    "mse-bench": ("mse-bench", imitations.write_mse_bench, 5, 25),
    "imgedit": ("imgedit", imitations.write_imgedit, 5, 0),
    "imgedit-uge": ("imgedit-uge", imitations.write_imgedit_uge, 5, 0),
    "imgedit-multiturn": ("imgedit-multiturn", imitations.write_imgedit_multiturn, 6, 15),
    "magicbrush, dev": ("magicbrush", imitations.write_magicbrush_dev, 5, 9),
    "magicbrush, test": ("magicbrush", imitations.write_magicbrush_test, 5, 9),
    "mice": ("mice", imitations.write_mice, 6, 18),
    "do-undo": ("do-undo", imitations.write_do_undo, 5, 10),
    "kontext-bench": ("kontext-bench", imitations.write_kontext_bench, 5, 0),
    "gedit2": ("gedit2", imitations.write_gedit2, 5, 0),
    "pie-bench": ("pie-bench", imitations.write_pie_bench, 5, 5),
    "kris": ("kris", imitations.write_kris, 6, 0),
    "rise": ("rise", imitations.write_rise, 5, 0),
    "genai-bench": ("genai-bench", imitations.write_genai_bench, 5, 0),
}
EVERY = pytest.mark.parametrize(("name", "write", "cases", "turns"), SETS.values(), ids=SETS)


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONVERGEBENCH_CACHE", str(tmp_path / "cache"))


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache for the sets that share drawings."""
    return tmp_path_factory.mktemp("drawn")


@EVERY
def test_a_set_is_listed_without_reading_a_picture_and_then_read(
    name: str, write: Write, cases: int, turns: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = write(tmp_path / "data")
    with monkeypatch.context() as patch:
        patch.setattr(LazyPicture, "path", property(lambda _: pytest.fail("a picture was read")))
        suite = suites.load(f"{name}?data={data}")
    assert (len(suite.cases), sum(len(case.turns) for case in suite.cases)) == (cases, turns)
    assert not suite.unusable
    assert len({case.fingerprint for case in suite.cases}) == cases
    assert all(Picture.from_file(source.path).size for case in suite.cases for source in case.sources)


def content(number: int, asked: Asked) -> Answer:
    """A judge whom every turn pleases, and every single edit nearly."""
    return completion(graded(asked, instruction=5, blending=4, preservation=5))


LAYOUTS = {
    "edival": "edival", "magicbrush": "magicbrush", "imgedit": "imgedit", "gedit2": "gedit2", "kris": "kris",
    "rise": "rise",
}  # fmt: skip
"""The sets whose own programs read a folder of results."""


def pictures(workspace: Path) -> list[tuple[str, int, str]]:
    with sqlite3.connect(workspace / "convergebench.sqlite") as db:
        return db.execute(
            "SELECT c.id, s.round, s.picture FROM steps s JOIN trajectories t ON t.id = s.trajectory "
            "JOIN case_facts c ON c.fingerprint = t.case_fingerprint WHERE s.picture IS NOT NULL "
            "ORDER BY 1, 2"
        ).fetchall()


@EVERY
def test_a_set_is_run_killed_resumed_judged_exported_and_read_back(
    name: str,
    write: Write,
    cases: int,
    turns: int,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    suite, workspace = f"{name}?data={write(tmp_path / 'data')}", tmp_path / "w"
    several = name == "kris"  # an editor of one picture refuses the case with two
    total = (turns or cases) - several
    command = ["run", "-m", "dying=python:dying_editor:edit", "--suite", suite, "--metric", "psnr", "-w",
               str(workspace), "--json"]  # fmt: skip
    one_by_one = ["-m", "convergebench", *command, "--concurrency", "1"]
    environment = {**os.environ, DIES_AT: "4", "PYTHONPATH": str(TESTS)}
    assert run_python(one_by_one, env=environment).returncode == -signal.SIGKILL
    before = pictures(workspace)
    assert 0 < len(before) < total
    code = code_of(command)
    done = json.loads(capsys.readouterr().out)["run"]
    assert code == (3 if several else 0)
    assert done["edits"] == total - len(before)
    assert done["replayed"] == len(before) + several
    judge_everything(name, suite, workspace, turns, total, capsys)
    if name in LAYOUTS:
        export_and_read_back(LAYOUTS[name], suite, workspace, tmp_path, capsys)


def judge_everything(
    name: str, suite: str, workspace: Path, turns: int, total: int, capsys: pytest.CaptureFixture[str]
) -> None:
    with JudgeServer(content) as judge:
        words = ["turns"] if turns else ["score", "--suite", name, "--data", suite.partition("=")[2]]
        assert code_of([*words, "--judge", judge.name, "-w", str(workspace), "--json"]) in (0, 3)
        shown = json.loads(capsys.readouterr().out)
        assert len(judge.asked) == total
    if turns:
        passed = next(one for one in shown[0]["curves"] if one["figure"] == "passed")
        assert {point["mean"] for point in passed["turns"]} == {100.0}
    else:
        means = [row["score"] for row in shown["rows"] if "sample mean" in row["subset"]]
        assert means == [pytest.approx(14 / 3)]


def export_and_read_back(
    layout: str, suite: str, workspace: Path, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was read back is written again as it was."""
    first, other, second = folder / "first", folder / "other", folder / "second"
    assert code_of(["export", "--layout", layout, "-o", str(first), "-w", str(workspace)]) == 0
    read = ["import", str(first), "--layout", layout, "--suite", suite, "-m", "dying", "-w", str(other)]
    assert code_of([*read, "--metric", "psnr", "--json"]) in (0, 3)
    assert code_of(["export", "--layout", layout, "-o", str(second), "-w", str(other)]) == 0
    capsys.readouterr()
    if layout != "kris":  # its results are JPEG files
        assert pictures(other) == pictures(workspace)
    assert contents(first / "dying") == contents(second / "dying")


def contents(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def test_magicbrush_knows_the_true_picture_before_each_turn(tmp_path: Path) -> None:
    suite = suites.load(f"magicbrush?data={imitations.write_magicbrush_test(tmp_path / 'data')}")
    case = next(one for one in suite.cases if one.id == "100")
    first, second, third = case.turns
    assert first.start is None and second.start is not None and first.target is not None
    assert second.start.digest == first.target.digest
    assert third.start is not None and second.target is not None
    assert third.start.digest == second.target.digest


def test_do_undo_reverses_its_own_result_or_the_true_frame(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from convergebench.store import Workspace

    suite = f"do-undo?data={imitations.write_do_undo(tmp_path / 'data')}"
    for protocol in ("session", "independent"):
        command = ["run", "-m", "jpeg", "--suite", suite, "--protocol", protocol, "--metric", "psnr"]
        assert code_of([*command, "-w", str(tmp_path / "w"), "--json", "--limit", "1"]) == 0
    capsys.readouterr()
    with Workspace.existing(tmp_path / "w") as workspace:
        rows = workspace.query("SELECT role, round, inputs ->> 0 AS given, picture FROM steps ORDER BY id")
    own, true = (
        {row["round"]: row for row in rows if row["role"] == role} for role in ("turn", "independent")
    )
    assert own[2]["given"] == own[1]["picture"]
    assert true[2]["given"] not in (true[1]["picture"], true[1]["given"])


def test_pie_benchs_masks_are_its_runs_with_a_border(tmp_path: Path) -> None:
    suite = suites.load(f"pie-bench?data={imitations.write_pie_bench(tmp_path / 'data')}")
    (turn,) = suite.cases[1].turns
    assert turn.mask is not None
    mask = Picture.from_file(turn.mask.path).pixels[..., 0] == 255
    expected = np.zeros((512, 512), bool)
    expected[100:102, 100:150] = True
    expected[[0, -1]] = expected[:, [0, -1]] = True
    assert (mask == expected).all()


def test_genai_benchs_votes_are_read(tmp_path: Path) -> None:
    votes = read_votes(imitations.write_genai_bench(tmp_path / "data"))
    assert [vote.winner for vote in votes] == ["left", "right", "tie", "tie"]
    assert votes[0] == EditVote("test-00000-of-00001-1", "A", "B", "left")


def test_a_json_of_the_published_size_loads_at_once_and_reads_no_picture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = imitations.write_imgedit(tmp_path / "data", cases=737)
    monkeypatch.setattr(LazyPicture, "path", property(lambda _: pytest.fail("a picture was read")))
    started = time.process_time()
    assert len(suites.load(f"imgedit?data={data}").cases) == 737
    assert time.process_time() - started < 20


PIE = {"editing_instruction": "x", "editing_type_id": "12"}
BAD = [
    ("imgedit", "basic_edit.json", {"1": {"id": "a.jpg", "edit_type": "add"}}, "it has no instruction"),
    ("imgedit", "basic_edit.json", {"1": {"id": "b.jpg", "prompt": "x", "edit_type": "add"}}, "no picture b"),
    ("imgedit", "basic_edit.json", {"1": {"id": "a.jpg", "prompt": "x", "edit_type": "fly"}}, "'fly' is unk"),
    ("kontext-bench", "metadata.jsonl", {"file_name": "a.jpg", "instruction": "x"}, "it has no key"),
    ("do-undo", "annotations_test.json", [{"narration_id": "1", "forward_prompt": "x"}], "no reverse_prompt"),
    ("pie-bench", "mapping_file.json", {"1": PIE}, "'12' is unknown"),
    ("rise", "data_total.json", [{"index": "1", "category": "magic", "instruction": "x"}], "'magic' is unk"),
]


@pytest.mark.parametrize(("name", "file", "content", "reason"), BAD)
def test_an_entry_that_cannot_be_used_is_named_with_its_reason(
    name: str, file: str, content: object, reason: str, tmp_path: Path
) -> None:
    from convergebench.errors import WrongUse

    imitations.put(tmp_path / "a.jpg", 1)
    imitations.write_json(tmp_path / file, content)
    with pytest.raises(WrongUse, match=f"has no case of {name}.*{reason}.*it must be"):
        suites.load(f"{name}?data={tmp_path}")


def test_an_instruction_in_json_lines_may_hold_a_separator_of_lines(tmp_path: Path) -> None:
    file = imitations.write_kontext_bench(tmp_path / "data") / "test" / "metadata.jsonl"
    first, rest = file.read_text().split("\n", 1)
    row = {**json.loads(first), "instruction": "Write one\u2028two."}
    file.write_text(f"{json.dumps(row, ensure_ascii=False)}\n{rest}", encoding="utf-8")
    suite = suites.load(f"kontext-bench?data={tmp_path / 'data'}")
    assert suite.cases[0].forward == "Write one\u2028two." and len(suite.cases) == 5


def test_a_session_with_a_hole_and_one_with_a_known_id_are_missing(tmp_path: Path) -> None:
    data = imitations.write_imgedit_multiturn(tmp_path / "data", in_tar=False)
    place = data / "multiturn" / "content_memory" / "annotation.json"
    more = [
        {"id": "000000000.jpg", "turn1": "a", "turn3": "c"},
        {"id": "000000001.jpg", "turn1": "a", "turn2": "b"},
    ]
    place.write_text(place.read_text() + "".join(json.dumps(line) + "\n" for line in more))
    suite = suites.load(f"imgedit-multiturn?data={data}")
    assert [one.reason for one in suite.unusable] == [
        "turn 2 of 3 has no instruction", "an earlier one has its id content_memory/000000001",
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["edival-mini", "imgedit-mini", "magicbrush-mini", "do-undo-mini"])
def test_the_drawn_sets_can_be_loaded_without_anything(
    name: str, drawn: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONVERGEBENCH_CACHE", str(drawn))
    (info,) = [one for one in suites.listing() if one.name == name]
    suite = suites.load(name)
    assert len(suite.cases) == info.cases and not suite.unusable
    assert sum(len(case.turns) for case in suite.cases) == (info.turns or 0)
