"""Folders that a set's own programs read: written, and read back to the same pictures."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

import set_imitations as imitations
from convergebench import suites
from convergebench.benchmarks.layouts import LAYOUTS, WITHOUT_LAYOUT
from convergebench.cli.main import code_of
from convergebench.store import Workspace

EXPORTED = [
    ("edival", imitations.write_edival, "session", "multipass/0_input_raw_turn_3.png", 15),
    ("edival", imitations.write_edival, "singlepass", "singlepass/0_input_raw_turn_3.png", 15),
    ("magicbrush", imitations.write_magicbrush_test, "session", "100/100_iter_3.png", 9),
    ("imgedit", imitations.write_imgedit, "", "1000.png", 5),
    ("gedit2", imitations.write_gedit2, "", "background_change_000000.png", 5),
    ("rise", imitations.write_rise, "", "images/causal_reasoning/causal_reasoning_1.png", 5),
    ("do-undo", imitations.write_do_undo, "independent", "P01_0_1_rev.png", 10),
]
JUDGED = [
    ("gedit", "gedit-mini?language=cn", "fullset/*/cn/*.png"),
    ("wiseedit", "wiseedit-mini", "Awareness_1/en/*.png"),
    ("reedit", "reedit-mini", "causal/*_primary.png"),
]


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONVERGEBENCH_CACHE", str(tmp_path / "cache"))


def pictures(workspace: Path) -> list[tuple[str, int, str]]:
    with sqlite3.connect(workspace / "convergebench.sqlite") as db:
        return db.execute(
            "SELECT c.id, s.round, s.picture FROM steps s JOIN trajectories t ON t.id = s.trajectory "
            "JOIN case_facts c ON c.fingerprint = t.case_fingerprint ORDER BY 1, 2"
        ).fetchall()


@pytest.mark.parametrize(("layout", "write", "protocol", "example", "count"), EXPORTED)
def test_results_are_written_as_the_set_has_them_and_read_back(
    layout: str,
    write: object,
    protocol: str,
    example: str,
    count: int,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert callable(write)
    suite = f"{layout}?data={write(tmp_path / 'data')}"
    first, second, folder = tmp_path / "first", tmp_path / "second", tmp_path / "out"
    run = ["run", "-m", "noise", "--suite", suite, "--metric", "psnr", "-w", str(first), "--json"]
    assert code_of([*run, "--protocol", protocol]) == 0
    assert code_of(["export", "--layout", layout, "-o", str(folder), "-w", str(first)]) == 0
    assert f"Wrote {count} pictures of noise" in capsys.readouterr().out
    assert (folder / "noise" / example).is_file()
    read = ["import", str(folder), "--layout", layout, "--suite", suite, "-m", "noise", "-w", str(second)]
    assert code_of([*read, "--metric", "psnr", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["pictures"] == count
    assert pictures(second) == pictures(first)


@pytest.mark.parametrize(("layout", "suite", "example"), JUDGED)
def test_results_of_judged_benchmarks_are_read_back_as_they_were_written(
    layout: str, suite: str, example: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second, folder = tmp_path / "first", tmp_path / "second", tmp_path / "out"
    run = ["run", "-m", "noise", "--suite", suite, "--metric", "psnr", "-w", str(first), "--limit", "4"]
    code_of([*run, "--json"])
    made = pictures(first)
    assert code_of(["export", "--layout", layout, "-o", str(folder), "-w", str(first)]) == 0
    assert list((folder / "noise").glob(example))
    read = ["import", str(folder), "--layout", layout, "--suite", suite, "-m", "noise", "-w", str(second)]
    assert code_of([*read, "--metric", "psnr", "--json"]) == 0
    there = [row for row in pictures(second) if row[2]]
    assert there == [row for row in made if row[2]] and there
    capsys.readouterr()


def test_results_of_another_protocol_are_not_written_and_it_is_said_what_to_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    suite = f"do-undo?data={imitations.write_do_undo(tmp_path / 'data')}"
    first, folder = tmp_path / "first", tmp_path / "out"
    run = ["run", "--suite", suite, "--metric", "psnr", "-w", str(first), "--json", "--limit", "1"]
    export = ["export", "--layout", "do-undo", "-o", str(folder), "-w", str(first)]
    said = "noise has none; make them with convergebench run --protocol independent"
    assert code_of([*run, "-m", "noise"]) == 0
    capsys.readouterr()
    assert code_of(export) == 2
    alone = capsys.readouterr()
    assert "no result was written" in alone.err and said in alone.err and not alone.out
    assert code_of([*run, "-m", "jpeg", "--protocol", "independent"]) == 0
    capsys.readouterr()
    assert code_of(export) == 0
    beside = capsys.readouterr()
    assert "Wrote 2 pictures of jpeg" in beside.out and "noise" not in beside.out and said in beside.err


def test_magicbrush_has_chained_and_independent_turns_side_by_side(tmp_path: Path) -> None:
    suite = f"magicbrush?data={imitations.write_magicbrush_test(tmp_path / 'data')}"
    for protocol in ("session", "independent"):
        run = [
            "run",
            "-m",
            "identity",
            "--suite",
            suite,
            "--metric",
            "psnr",
            "-w",
            str(tmp_path / "w"),
            "--json",
        ]
        assert code_of([*run, "--protocol", protocol]) == 0
    assert (
        code_of(["export", "--layout", "magicbrush", "-o", str(tmp_path / "out"), "-w", str(tmp_path / "w")])
        == 0
    )
    found = sorted(path.name for path in (tmp_path / "out" / "identity" / "100").iterdir())
    assert found == ["100_1.png", "100_inde_2.png", "100_inde_3.png", "100_iter_2.png", "100_iter_3.png"]


def test_a_gallery_with_holes_is_imported_as_far_as_it_goes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    suite = f"edival?data={imitations.write_edival(tmp_path / 'data')}"
    gallery = tmp_path / "gallery" / "multipass"
    for name in ("0_input_raw_turn_1.png", "0_input_raw_turn_2.png", "1_input_raw_turn_1.png"):
        imitations.put(gallery / name, 3)
    command = ["import", str(tmp_path / "gallery"), "--layout", "edival", "--suite", suite, "-m", "theirs"]
    assert code_of([*command, "-w", str(tmp_path / "w"), "--metric", "psnr", "--json"]) == 0
    done = json.loads(capsys.readouterr().out)
    assert done["pictures"] == 3
    none = "the folder holds no picture for it"
    ends = f"{none}; the session ends there"
    assert set(done["missing"].values()) == {f"turn 1: {ends}", f"turn 2: {ends}", f"turn 3: {none}"}
    assert len(done["missing"]) == 5
    with Workspace.existing(tmp_path / "w") as opened:
        kinds = opened.query("SELECT DISTINCT failure FROM steps WHERE picture IS NULL")
    assert [row["failure"] for row in kinds] == ["absent"], "why is not known"


def test_a_folder_of_something_else_is_one_clear_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    suite = f"edival?data={imitations.write_edival(tmp_path / 'data')}"
    (tmp_path / "empty").mkdir()
    command = ["import", str(tmp_path / "empty"), "--layout", "edival", "--suite", suite, "-m", "theirs"]
    assert code_of([*command, "-w", str(tmp_path / "w")]) == 2
    assert "holds no results such as multipass/7_input_raw_turn_2.png" in capsys.readouterr().err
    assert code_of(["export", "--layout", "edivall", "-w", str(tmp_path / "w")]) == 2
    assert "did you mean edival?" in capsys.readouterr().err
    assert code_of(["export", "--layout", "mse-bench", "-w", str(tmp_path / "w")]) == 2
    assert "mse-bench has no layout" in capsys.readouterr().err


def test_every_published_set_has_a_layout_or_is_said_to_have_none() -> None:
    named = {name for layout in LAYOUTS.values() for name in layout.suites} | set(WITHOUT_LAYOUT)
    published = {one.name for one in suites.listing() if one.takes_data}
    assert {name.removesuffix("-uge") for name in published} <= named


def test_a_lost_picture_is_left_out_of_the_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    suite, w = f"imgedit?data={imitations.write_imgedit(tmp_path / 'data')}", tmp_path / "w"
    assert code_of(["run", "-m", "noise", "--suite", suite, "--metric", "psnr", "-w", str(w), "--json"]) == 0
    (lost,) = (w / "pictures").rglob(f"{pictures(w)[0][2]}.*")
    lost.unlink()
    capsys.readouterr()
    assert code_of(["export", "--layout", "imgedit", "-o", str(tmp_path / "out"), "-w", str(w)]) == 0
    shown = capsys.readouterr()
    assert "Wrote 4 pictures of noise" in shown.out and "1 missing" in shown.out
    assert lost.stem in shown.err
