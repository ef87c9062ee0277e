from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from convergebench.atomic_files import remove_leftovers, replacing, temporary_folder, write_whole

KILLED = """
import os, signal, sys
from pathlib import Path
from convergebench.atomic_files import replacing, temporary_folder
with temporary_folder("export") as folder, replacing(Path(sys.argv[1]) / "report.md") as part:
    part.write_text("half")
    (folder / "picture.png").write_bytes(b"half")
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture(autouse=True)
def as_in_a_new_process() -> None:
    remove_leftovers.cache_clear()


def test_what_a_killed_process_left_is_removed_by_the_next_that_writes_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    subprocess.run([sys.executable, "-c", KILLED, tmp_path], env=environment, check=False)
    assert len(list(tmp_path.iterdir())) == 2
    with temporary_folder("command"), replacing(tmp_path / "other.md") as part:
        part.write_text("whole")
    assert [path.name for path in tmp_path.iterdir()] == ["other.md"]


@pytest.mark.parametrize(
    "name",
    [
        ".bashrc", "convergebench-notes.txt", "report.md", ".report-1@HOST-x.md",
        ".report-PID@HOST-abcdefgh.md", ".report-99999999@elsewhere-abcdefgh.md",
    ],
)  # fmt: skip
def test_files_of_others_and_of_running_processes_stay(name: str, tmp_path: Path) -> None:
    name = name.replace("PID", str(os.getpid())).replace("HOST", socket.gethostname())
    (tmp_path / name).write_text("mine")
    with replacing(tmp_path / "new.md") as part:
        part.write_text("whole")
    assert (tmp_path / name).read_text() == "mine"


def test_a_file_that_could_not_be_written_leaves_the_old_one(tmp_path: Path) -> None:
    (tmp_path / "report.md").write_text("old")
    with pytest.raises(OSError, match="full"), replacing(tmp_path / "report.md") as part:
        part.write_text("half")
        raise OSError("full")
    assert [path.read_text() for path in tmp_path.iterdir()] == ["old"]


def test_content_at_hand_is_written_whole_into_new_folders_or_not_at_all(tmp_path: Path) -> None:
    (tmp_path / f".a-99999999@{socket.gethostname()}-00000000.jpg").write_text("left by a process that ended")
    write_whole(str(tmp_path / "b.jpg"), b"old")
    write_whole(str(tmp_path / "b.jpg"), b"new")
    write_whole(str(tmp_path / "ab" / "c.jpg"), b"deep")
    (tmp_path / "d.jpg").mkdir()
    with pytest.raises(OSError, match="directory"):
        write_whole(str(tmp_path / "d.jpg"), b"in the way")
    found = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    assert found == {"b.jpg", "ab/c.jpg"} and (tmp_path / "b.jpg").read_bytes() == b"new"


def test_a_file_that_cannot_be_begun_is_named_as_it_was_asked_for(tmp_path: Path) -> None:
    path = tmp_path / f"report.{'x' * 300}"
    with pytest.raises(OSError) as raised, replacing(path):
        pass
    assert raised.value.filename == str(path)
