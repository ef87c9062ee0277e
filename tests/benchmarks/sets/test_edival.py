"""EdiVal-Bench as its own files have it."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from convergebench import suites
from convergebench.errors import WrongUse
from convergebench.suites._lazy_pictures import LazyPicture
from convergebench.types import Suite
from set_imitations import append_edival, edival_row, png, write_edival


def load(folder: Path) -> Suite:
    return suites.load(f"edival?data={folder}")


@pytest.mark.parametrize("in_zip", [True, False])
def test_the_longest_row_of_a_picture_is_its_session(tmp_path: Path, in_zip: bool) -> None:
    suite = load(write_edival(tmp_path / "edival", in_zip=in_zip))
    assert [case.id for case in suite.cases] == ["0", "1", "2", "3", "4"]
    first = suite.cases[0]
    assert [turn.instruction for turn in first.turns] == [
        "Add cup 0", "Change the color of the cup to red (0)", "Remove cup 0",
    ]  # fmt: skip
    assert [turn.task for turn in first.turns] == ["subject_add", "color_alter", "subject_remove"]
    assert first.source.path.read_bytes() == png(0)
    assert not suite.unusable


def test_bad_sessions_are_named_in_one_warning_and_the_rest_is_there(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = write_edival(tmp_path / "edival")
    append_edival(
        folder,
        edival_row(7, ["subject_add"], ["Add a hat"]),  # no picture
        edival_row(5, ["subject_add", "color_alter"], ["Add a hat", ""]),
        edival_row("3.5", ["dance"], ["Dance"]),
        [6, 1, "['subject_add'", "['Add a hat'", *[""] * 5],
        edival_row(8, ["subject_add"], ["Add a hat"], turns=3),
    )
    suite = load(folder)
    assert len(suite.cases) == 5
    assert {one.name: one.reason for one in suite.unusable} == {
        "session 7": "there is no picture 7_input_raw.jpg or 7_input_raw.png",
        "session 5": "turn 2 of 2 has no instruction",
        "session 3.5": "its task type 'dance' is unknown",
        "session 6": "its instructions cannot be read as a list",
        "session 8": "it has 1 instructions for 3 turns",
    }
    (warning,) = caplog.messages
    assert warning.startswith("5 of 10 cases of edival cannot be used and count as missing: ")
    assert all(one.name in warning and one.reason in warning for one in suite.unusable)


def test_a_file_that_is_something_else_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "oai_instruction_generation_output.csv").write_text("a,b\n1,2\n")
    with pytest.raises(WrongUse, match="no column image_index; it needs image_index, turns"):
        load(tmp_path)
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(WrongUse, match=r"no oai_instruction_generation_output\.csv; give EdiVal's"):
        load(empty)


def test_a_table_of_the_published_size_loads_at_once_and_reads_no_picture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_edival(tmp_path / "edival", sessions=572)
    assert sum(1 for _ in (folder / "oai_instruction_generation_output.csv").open()) == 1 + 1716

    def never(_: LazyPicture) -> Path:
        raise AssertionError("a picture was read")

    monkeypatch.setattr(LazyPicture, "path", property(never))
    started = time.process_time()
    suite = load(folder)
    assert time.process_time() - started < 20
    assert len(suite.cases) == 572
